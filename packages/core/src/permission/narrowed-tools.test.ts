import type { Effect } from '@toolwright/machine/base/effect.js';
import { expect, it } from 'vitest';
import { lineEffects } from './fixtures/line-effects.js';
import { permission } from './fixtures/shell-effects.js';

const context = {
  directory: '/work/app',
  roots: ['/work/app'],
  home: '/home/me',
  realPath: (path: string) => path,
};

const source = 'agents/reviewer.md';

async function decided(rules: string[], tool: string, effects: readonly Effect[] | undefined) {
  const { decide, parse } = await permission('yolo', { allow: ['Shell(rm)'] });
  const within = await parse(rules.map((text) => ({ verdict: 'allow', text, source })));
  return decide({ tool, effects, within });
}

it.each([
  ['git status', 'allow'],
  ['git log --oneline && git diff', 'allow'],
  ['/usr/bin/git status', 'deny'],
  ['git log | head', 'deny'],
  ['git status; rm a.txt', 'deny'],
  ['rm a.txt', 'deny'],
  ['ls', 'deny'],
  ['cat a.txt', 'deny'],
  ['git log $(touch x)', 'deny'],
  ['$X status', 'deny'],
  ['sh -c "git status"', 'deny'],
  ["git -c alias.x='!touch y' x", 'deny'],
  ['git status > out.txt', 'deny'],
  ['((', 'deny'],
])('whoever may only run git: %s, %s', async (line, decision) => {
  const effects = await lineEffects(line, context);
  expect(await decided(['Shell(git)'], 'run_shell_command', effects)).toMatchObject({ decision });
});

it.each([
  ['Edit(docs/**)', { kind: 'write', path: '/work/app/docs/a.md' }, 'allow'],
  ['Edit(docs/**)', { kind: 'write', path: '/work/app/src/a.ts' }, 'deny'],
  ['Edit(docs/**)', { kind: 'delete', path: '/work/app/src/a.ts' }, 'deny'],
  ['Read(docs/**)', { kind: 'read', path: '/work/app/src/a.ts' }, 'deny'],
  [
    'Fetch(example.org)',
    { kind: 'network', host: 'example.org', port: 443, url: 'https://example.org/' },
    'allow',
  ],
  ['Fetch(example.org)', { kind: 'network', host: 'evil.org', port: 443, url: 'https://evil.org/' }, 'deny'],
  ['Mcp(one/look)', { kind: 'mcp', server: 'one', tool: 'drop' }, 'deny'],
] as const)('a tool within %s and the effect %j: %s', async (rule, effect, decision) => {
  expect(await decided([rule], 'any', [effect])).toMatchObject({ decision });
});

it('a call whose effects nobody knows is beyond what its asker may do, and the reason names the rule', async () => {
  expect(await decided(['Edit(docs/**)'], 'any', undefined)).toMatchObject({ decision: 'deny' });
  const { reason } = await decided(['Edit(docs/**)', 'Edit(a.md)'], 'any', [
    { kind: 'write', path: '/work/app/b.md' },
  ]);
  expect(reason).toBe(
    'this agent is limited to Edit(docs/**) and Edit(a.md) (agents/reviewer.md), which does not cover writing b.md',
  );
});
