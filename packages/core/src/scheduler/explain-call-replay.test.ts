import type { Effect } from '@toolwright/machine/base/effect.js';
import { expect, it } from 'vitest';
import type { RuleText } from '../permission/rules.js';
import type { JournalEntry, SavedEntry } from '../session/journal.js';
import { scriptedTool } from '../testing/scripted-tool.js';
import { ToolRegistry } from '../tools/tool-registry.js';
import { replayDecisions } from './explain-call.js';
import { make, permissionAt, read } from './fixtures/explained.js';

const stagedMake: Effect = { ...make, staged: true };

function call(callId: string, tool: string, effects: Effect[] | null): JournalEntry {
  return { type: 'call-start', callId, tool, args: { of: callId }, effects };
}

function decided(callId: string, decision: 'allow' | 'ask' | 'deny', effects?: Effect[]): JournalEntry {
  return { type: 'call-decision', callId, decision, reason: 'then', effects };
}

async function replay(entries: JournalEntry[], rules: RuleText[]) {
  const registry = new ToolRegistry();
  registry.registerTool(scriptedTool('reader', { effects: [read('/work/a')] }));
  const permission = await permissionAt('default', rules);
  const saved = entries.map((entry): SavedEntry => ({ v: 1, at: 'once', ...entry }));
  const calls = await replayDecisions(saved, { registry, permission });
  return calls.map(({ callId, earlier, now, changes }) => [callId, earlier?.decision, now.decision, changes]);
}

const journal: JournalEntry[] = [
  call('1', 'reader', [read('/work/a')]),
  decided('1', 'allow'),
  call('2', 'gone__tool', [{ kind: 'mcp', server: 'gone', tool: 'tool' }]),
  decided('2', 'ask'),
  call('3', 'shell', [make]),
  decided('3', 'allow', [stagedMake]),
  call('4', 'shell', [make]),
  decided('4', 'ask', [stagedMake, { kind: 'write', path: '/work/b', staged: true }]),
  call('5', 'reader', null),
  {
    type: 'call-end',
    callId: '5',
    tool: 'reader',
    response: {},
    display: '',
    error: { code: 'invalid_params', message: 'x' },
  },
  call('6', 'reader', [read('/work/a')]),
  call('7', 'reader', [read('/work/a')]),
  {
    type: 'call-end',
    callId: '7',
    tool: 'reader',
    response: {},
    display: '',
    error: { code: 'failed', message: 'It could not be planned.' },
  },
];

it('the replay of a call judges what was found then by the rules of now', async () => {
  expect(await replay(journal, [])).toEqual([
    ['1', 'allow', 'allow', false],
    ['2', 'ask', 'ask', false],
    ['3', 'allow', 'allow', false],
    ['4', 'ask', 'ask', false],
    ['5', 'deny', 'allow', true],
    ['6', undefined, 'allow', false],
    // The tool refused it before any rule was asked.
    ['7', undefined, 'allow', false],
  ]);
});

it('the replay of a call says what other rules would change', async () => {
  const rules: RuleText[] = [
    { verdict: 'deny', text: 'Read(a)', source: 's:1' },
    { verdict: 'allow', text: 'Mcp(gone)', source: 's:2' },
    { verdict: 'allow', text: 'Shell(make)', source: 's:3' },
  ];
  expect(await replay(journal.slice(0, 8), rules)).toEqual([
    ['1', 'allow', 'deny', true],
    ['2', 'ask', 'allow', true],
    ['3', 'allow', 'allow', false],
    ['4', 'ask', 'allow', true],
  ]);
});
