import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { Agent, AgentEvent, FileDiff } from '@toolwright/core';
import { tempFolder } from '@toolwright/machine/base/fixtures/temp-folder.js';
import { expect, it } from 'vitest';
import { largeDiff } from './large-diffs.js';
import { replayed } from './replay.js';
import { Translation } from './translation.js';

const newErrors = [
  {
    server: 'pyright',
    total: 1,
    files: 1,
    isLate: false,
    errors: [{ path: 'shop.py', line: 3, column: 16, message: 'Argument missing', code: 'reportCallIssue' }],
  },
];
const told =
  '```\n1 new error after this change, says pyright:\nshop.py:3:16: Argument missing (reportCallIssue)\n```';

const unified = '--- a/shop.py\n+++ b/shop.py\n@@ -1 +1 @@\n-one\n+two\n';
const diff: FileDiff = {
  kind: 'diff',
  files: [{ path: 'shop.py', change: 'modify', unified, added: 1, removed: 1 }],
};
const end = { type: 'call-end', callId: 'a', tool: 'edit', display: diff, newErrors } as const;
const absolute = (path: string): string => `/work/${path}`;

/** What an editor shows of a call when it has all updates: the content of the last one. */
const contentOf = (updates: Iterable<SessionUpdate>): unknown[] =>
  [...updates].flatMap((update) =>
    update.sessionUpdate === 'tool_call_update' ? (update.content ?? []) : [],
  );

const asContent = [
  { type: 'diff', path: '/work/shop.py', oldText: 'one\n', newText: 'two\n' },
  { type: 'content', content: { type: 'text', text: told } },
];

it('an editor shows the errors that a change brought below its diff', () => {
  const translation = new Translation({ absolute, contextWindow: () => null, drawsNotices: false });
  expect(contentOf(translation.updatesOf(end as AgentEvent))).toEqual(asContent);
});

it('an earlier conversation is shown with the errors that its changes brought', () => {
  const saved = { ...end, v: 1, at: '2030-01-01T00:00:00.000Z' } as never;
  expect(contentOf(replayed([saved], absolute))).toEqual(asContent);
});

it('a large diff that follows its call takes nothing of what was told of it', async () => {
  const changeSet = { id: 'c1', changes: [], directories: [], removedDirectories: [] };
  const entries = [
    { type: 'changes', changeSet },
    { ...end, display: { ...diff, files: [] }, changeSet: 'c1' },
  ];
  const journalPath = join(tempFolder(), 'journal.jsonl');
  writeFileSync(journalPath, entries.map((entry) => `${JSON.stringify({ v: 1, ...entry })}\n`).join(''));
  const agent = { session: { journalPath }, showChange: async () => ({ diff }) } as unknown as Agent;
  const update = await largeDiff('a', agent, absolute);
  expect(contentOf(update ? [update] : [])).toEqual(asContent);
});
