import type { Effect } from '@toolwright/machine/base/effect.js';
import { describe, expect, it } from 'vitest';
import { command, type Lists, permission, read, write } from './fixtures/shell-effects.js';
import type { ApprovalMode } from './modes.js';

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

describe('how a command is run', () => {
  const proven = command([['ls']], { readOnly: true });
  it.each<[string, ApprovalMode, Lists, Effect[], string]>([
    ['proven to only read', 'default', {}, [proven], 'proven'],
    ['proven, in plan mode', 'plan', {}, [proven], 'proven'],
    ['another one', 'default', {}, [command([test])], 'staged'],
    ['another one in yolo mode', 'yolo', {}, [command([test])], 'staged'],
    ['one that is allowed', 'default', { allow: ['Shell(npm)'] }, [command([test])], 'staged'],
    ['in plan mode', 'plan', {}, [command([test])], 'read-only-mount'],
    ['with network', 'yolo', {}, [command([test], { network: true })], 'ask-first'],
    ['in the background', 'default', {}, [command([test], { background: true })], 'ask-first'],
    ['a rule asks about it', 'yolo', { ask: ['Shell(npm test)'] }, [command([test])], 'ask-first'],
    [
      'a rule asks about what it reads',
      'default',
      { ask: ['Read(a)'] },
      [command([['cat', 'a']], { readOnly: true }), read('a')],
      'ask-first',
    ],
    ['a rule may be about it', 'yolo', { deny: ['Shell(rm)'] }, [command(null)], 'ask-first'],
    ['a rule asks, in plan mode', 'plan', { ask: ['Shell(npm test)'] }, [command([test])], 'ask-first'],
  ])('%s', async (_name, mode, lists, effects, expected) => {
    expect((await permission(mode, lists)).mannerOf({ tool: 't', effects })).toBe(expected);
  });
});
