import { expect, it } from 'vitest';
import { newRecord, noUsage, type TaskRecord } from '../schedule/record.js';
import type { Report } from './report.js';
import { reportAsHtml } from './report-html.js';
import { reportAsMarkdown } from './report-markdown.js';

const states = { queued: 0, running: 0, parked: 0, done: 1, failed: 1, poison: 0, cancelled: 0 };
const taskOf = (id: string, prompt: string): TaskRecord =>
  newRecord({ format: 1, id, prompt, workspace: { kind: 'folder', path: `/work/${id}` }, labels: [] });
const base = { folder: '/work/t2' };

const failed: TaskRecord = {
  ...taskOf('t1', '<script>alert(1)</script> | x'),
  state: 'failed',
  failure: { kind: 'check', message: 'The check failed: exit code 1.' },
  startedAt: 1_000,
  endedAt: 3_500,
};
const done: TaskRecord = {
  ...taskOf('t2', 'fix it'),
  state: 'done',
  kept: { as: 'branch', where: 'toolwright/t2' },
  outcome: {
    response: 'Fixed.\n```\n<b>x</b>\n```',
    summary: '1 file changed',
    files: 1,
    added: 1,
    removed: 1,
    leftOut: ['.env: it holds a secret of this machine'],
    check: { passed: true, ended: 'exit code 0', output: '', durationMs: 1 },
    base,
  },
};
const report: Report = {
  states,
  usage: { ...noUsage, turns: 3, inputTokens: 12_000, cost: 0.5 },
  tasks: [failed, done],
  more: 2,
  patches: new Map([
    ['t2', 'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-<i>old\n+new'],
  ]),
  directory: '/work',
};

it('the report tells in Markdown what was done, kept, failed and why, with the change sets', () => {
  const text = reportAsMarkdown(report);
  expect(text).toContain('1 done, 1 failed. 3 turns, 12,000 tokens, $0.50.');
  expect(text).toContain(
    '| failed | t1 | \\<script\\>alert(1)\\</script\\> \\| x |  |  |  | 2.5 s | The check failed: exit code 1. |',
  );
  expect(text).toContain(
    '| done | t2 | fix it | 1 file changed, +1 -1 | passed | branch toolwright/t2 |  |  |',
  );
  expect(text).toContain('… and 2 more.');
  expect(text).toContain('````text\nFixed.\n```\n<b>x</b>\n```\n````');
  expect(text).toContain('```diff\ndiff --git');
  expect(text).toContain('- left out: .env: it holds a secret of this machine');
});

it('the report as a page lets nothing of a task act', () => {
  const page = reportAsHtml(report);
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt; | x');
  expect(page).toContain('<del>-&lt;i&gt;old</del>\n<ins>+new</ins>');
  expect(page).toContain('<b class="failed">1 failed</b>');
  expect(page).not.toMatch(/<script|<i>old|<b>x/);
});
