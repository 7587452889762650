import type { Effect } from '@toolwright/machine/base/effect.js';
import { describe, expect, it } from 'vitest';
import { command, type Lists, permission, write } from './fixtures/shell-effects.js';

const [test, push] = [
  ['npm', 'test'],
  ['git', 'push'],
];

describe('offers for a command', () => {
  const offersOf = async (effects: Effect[], lists: Lists = {}) =>
    (await permission('default', lists)).offers({ tool: 'run_shell_command', effects });

  it('are the words the analysis proposes, as the exact rule, and never the whole tool', async () => {
    expect(await offersOf([command([test], { offers: [test] })])).toEqual([
      { rule: 'Shell(npm test)', allows: 'the commands that begin with npm test' },
    ]);
    expect(await offersOf([command([test])])).toEqual([]);
  });

  it('are one rule for each command of a compound, together', async () => {
    expect(await offersOf([command([test, push], { offers: [test, push] })])).toEqual([
      {
        rule: 'Shell(npm test) and Shell(git push)',
        rules: ['Shell(npm test)', 'Shell(git push)'],
        allows: 'the commands that begin with npm test and git push',
      },
    ]);
  });

  it('leave out what is covered already', async () => {
    const offers = await offersOf([command([test, push], { offers: [test, push] })], {
      allow: ['Shell(npm)'],
    });
    expect(offers.map(({ rule }) => rule)).toEqual(['Shell(git push)']);
  });

  it('are the command, the file or its folder for changes that were found', async () => {
    const effects = [command([test], { staged: true, offers: [test] }), write('src/a', true)];
    expect((await offersOf(effects)).map(({ rule }) => rule)).toEqual([
      'Shell(npm test)',
      'Edit(src/a)',
      'Edit(src/**)',
    ]);
  });

  it('begin with the file where the rule for the command would be a program alone', async () => {
    const effects = [command([['rm', 'src/a']], { staged: true, offers: [['rm']] }), write('src/a', true)];
    expect((await offersOf(effects)).map(({ rule }) => rule)).toEqual([
      'Edit(src/a)',
      'Shell(rm)',
      'Edit(src/**)',
    ]);
  });

  it('are none where no rule can help: the network, a protected path, a rule that asks', async () => {
    expect(await offersOf([command([test], { network: true, offers: [test] })])).toEqual([]);
    expect(
      await offersOf([command([test], { staged: true, offers: [test] }), write('.envrc', true)]),
    ).toEqual([]);
    expect(await offersOf([command([test], { offers: [test] })], { ask: ['Shell(npm)'] })).toEqual([]);
  });

  it('stay few for a thousand changes', async () => {
    const changes = Array.from({ length: 1_000 }, (_, index) => write(`out/${index}`, true));
    const offers = await offersOf([command([test], { staged: true, offers: [test] }), ...changes]);
    expect(offers.map(({ rule }) => rule)).toEqual(['Shell(npm test)', 'Edit(out/**)']);
  });
});
