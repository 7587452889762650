import type { CommandWords, Effect } from '@toolwright/machine/base/effect.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { command, permission, write } from './fixtures/shell-effects.js';
import { approvalModes } from './modes.js';
import type { Verdict } from './rules.js';

const severity: Record<Verdict, number> = { allow: 0, ask: 1, deny: 2 };

const word = fc.constantFrom('npm', 'git', 'test', 'push', 'rm', '-r', null);
const words: fc.Arbitrary<CommandWords> = fc.array(word, { minLength: 1, maxLength: 3 });
const execute = fc
  .record({
    commands: fc.oneof(
      { weight: 5, arbitrary: fc.array(words, { minLength: 1, maxLength: 3 }) },
      fc.constant(null),
    ),
    readOnly: fc.boolean(),
    network: fc.boolean(),
    background: fc.boolean(),
    staged: fc.boolean(),
  })
  .map(
    ({ commands, staged, ...more }): Effect =>
      command(commands, { ...more, ...(staged ? { staged: true } : {}) }),
  );
const path = fc.constantFrom('a', 'src/b', '.env', '.git/hooks/x');
const effect: fc.Arbitrary<Effect> = fc.oneof(
  execute,
  fc.tuple(path, fc.boolean()).map(([name, staged]) => write(name, staged ? true : undefined)),
  path.map((name): Effect => ({ kind: 'read', path: `/work/app/${name}` })),
  fc.constant<Effect>({ kind: 'network', host: 'example.com', port: 443, url: '' }),
  fc.constant<Effect>({ kind: 'mcp', server: 'files', tool: 'read' }),
);
const rule = fc.constantFrom(
  'Shell(npm)',
  'Shell(npm test)',
  'Shell(git)',
  'Shell(git push)',
  'Shell(rm -r)',
  'Edit(src)',
  'Edit(**)',
  'Read(.env)',
  'Fetch(example.com)',
  'Mcp(files)',
  't',
);
const rules = fc.array(rule, { maxLength: 3 });
const situation = fc.record({
  mode: fc.constantFrom(...approvalModes),
  lists: fc.record({ allow: rules, ask: rules, deny: rules }),
  effects: fc.option(fc.array(effect, { maxLength: 4 }), { nil: undefined }),
});

async function verdictOf({
  mode,
  lists,
  effects,
}: typeof situation extends fc.Arbitrary<infer One> ? One : never) {
  return (await permission(mode, lists)).decide({ tool: 't', effects }).decision;
}

describe('whatever the rules and the call', () => {
  it('one more rule that allows never narrows, and never lifts a deny but that of plan mode for foreign tools', async () => {
    await fc.assert(
      fc.asyncProperty(situation, rule, async (before, added) => {
        const after = { ...before, lists: { ...before.lists, allow: [...before.lists.allow, added] } };
        const [was, is] = [await verdictOf(before), await verdictOf(after)];
        expect(severity[is]).toBeLessThanOrEqual(severity[was]);
        // In plan mode alone a rule opens something that was denied: a foreign tool, never against a deny rule.
        if (was === 'deny' && is !== 'deny') {
          const decided = (await permission(before.mode, before.lists)).decide({
            tool: 't',
            effects: before.effects,
          });
          expect([before.mode, decided.winner]).toEqual([
            'plan',
            { kind: 'mode', mode: 'plan', class: 'foreign' },
          ]);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(['deny', 'ask'] as const)('one more rule to %s never widens', async (verdict) => {
    await fc.assert(
      fc.asyncProperty(situation, rule, async (before, added) => {
        const after = { ...before, lists: { ...before.lists, [verdict]: [...before.lists[verdict], added] } };
        expect(severity[await verdictOf(after)]).toBeGreaterThanOrEqual(severity[await verdictOf(before)]);
      }),
      { numRuns: 500 },
    );
  });

  it('a compound is never more allowed than its strictest command', async () => {
    const commands = fc.array(words, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(situation, commands, async ({ mode, lists }, compound) => {
        const whole = await verdictOf({ mode, lists, effects: [command(compound)] });
        for (const each of compound) {
          const alone = await verdictOf({ mode, lists, effects: [command([each])] });
          expect(severity[whole]).toBeGreaterThanOrEqual(severity[alone]);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('a call is never more allowed than one of its effects alone, but for the changes of an allowed command', async () => {
    await fc.assert(
      fc.asyncProperty(situation, async ({ mode, lists, effects = [] }) => {
        const whole = await verdictOf({ mode, lists, effects });
        for (const each of effects.filter(
          (one) => !('staged' in one && one.staged && one.kind !== 'execute'),
        )) {
          const alone = await verdictOf({ mode, lists, effects: [each] });
          expect(severity[whole]).toBeGreaterThanOrEqual(severity[alone]);
        }
      }),
      { numRuns: 500 },
    );
  });
});
