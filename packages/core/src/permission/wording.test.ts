import type { Effect } from '@toolwright/machine/base/effect.js';
import { expect, it } from 'vitest';
import type { ApprovalMode } from './modes.js';
import { createPermission } from './permission.js';
import type { RuleText } from './rules.js';

const workspace = {
  directory: '/work',
  rootOf: (path: string) =>
    path.startsWith('/work') ? { path: '/work', access: 'write' as const } : undefined,
  show: (path: string) => path.replace('/work/', ''),
};
const write: Effect = { kind: 'write', path: '/work/a.txt' };
const remove: Effect = { kind: 'delete', path: '/work/a.txt' };
const hook: Effect = { kind: 'write', path: '/work/.git/hooks/pre-commit' };
const curl: Effect = {
  kind: 'execute',
  command: 'curl https://example.com',
  directory: '/work',
  readOnly: false,
  network: true,
  background: false,
  commands: [['curl', 'https://example.com']],
};
const mcp: Effect = { kind: 'mcp', server: 'files', tool: 'query' };
const asking: RuleText = { verdict: 'ask', text: 'Edit(a.txt)', source: 'settings.json:1' };
const denying: RuleText = { ...asking, verdict: 'deny' };

it.each<[string, ApprovalMode, RuleText[], Effect[] | undefined, string | undefined]>([
  ['a write in plan mode', 'plan', [], [write], 'plan mode: not written'],
  ['a deletion in plan mode', 'plan', [], [remove], 'plan mode: not deleted'],
  ['a command in plan mode', 'plan', [], [curl], 'plan mode: not run'],
  ['a call of a server in plan mode', 'plan', [], [mcp], 'plan mode: not called'],
  ['what the mode always asks about', 'default', [], [write], undefined],
  ['a command that the mode always asks about', 'default', [], [curl], undefined],
  ['a rule that asks', 'auto-edit', [asking], [write], 'the rule Edit(a.txt) (settings.json:1) says so'],
  ['a rule that denies', 'yolo', [denying], [write], 'the rule Edit(a.txt) (settings.json:1) forbids it'],
  ['a protected path', 'yolo', [], [hook], 'a protected path is always asked about'],
  ['a tool without effects', 'default', [], undefined, 'it does not say what it does'],
  ['what is allowed', 'yolo', [], [write], undefined],
])('the reason for a user who sees the call: %s', async (_what, mode, rules, effects, brief) => {
  const permission = await createPermission({ mode, rules, workspace, home: '/home/me' });
  expect(permission.decide({ tool: 'tool', effects }).brief).toBe(brief);
});
