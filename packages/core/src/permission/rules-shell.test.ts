import type { Effect } from '@toolwright/machine/base/effect.js';
import { describe, expect, it } from 'vitest';
import { command, type Lists, permission, read, write } from './fixtures/shell-effects.js';
import type { ApprovalMode } from './modes.js';
import type { Verdict } from './rules.js';

const [test, lint, push] = [
  ['npm', 'test'],
  ['npm', 'run', 'lint'],
  ['git', 'push'],
];

describe('a Shell rule', () => {
  it.each<[string, ApprovalMode, Lists, Effect[], Verdict]>([
    ['allows the words it names', 'default', { allow: ['Shell(npm test)'] }, [command([test])], 'allow'],
    [
      'allows whatever follows them',
      'default',
      { allow: ['Shell(npm test)'] },
      [command([[...test, '--', '-t', 'x']])],
      'allow',
    ],
    ['knows whole words only', 'default', { allow: ['Shell(npm te)'] }, [command([test])], 'ask'],
    ['is about the beginning', 'default', { allow: ['Shell(test)'] }, [command([test])], 'ask'],
    ['needs all of its words', 'default', { allow: ['Shell(npm test unit)'] }, [command([test])], 'ask'],
    [
      'reads its words with quotes',
      'default',
      { allow: ['Shell(git commit -m "a b")'] },
      [command([['git', 'commit', '-m', 'a b']])],
      'allow',
    ],
    [
      'takes a program by the name it is called',
      'default',
      { allow: ['Shell(npm test)'] },
      [command([['./npm', 'test']])],
      'ask',
    ],
    [
      'does not allow what stands beside it',
      'default',
      { allow: ['Shell(npm test)'] },
      [command([test, ['rm', 'x']])],
      'ask',
    ],
    [
      'allows a compound together with others',
      'default',
      { allow: ['Shell(npm test)', 'Shell(npm run lint)'] },
      [command([test, lint])],
      'allow',
    ],
    [
      'allows a compound with harmless company',
      'default',
      { allow: ['Shell(npm test)'] },
      [command([test, ['tail', '-5']], { unproven: [test] })],
      'allow',
    ],
    [
      'allows no line that holds only harmless commands and a doubt',
      'default',
      { allow: ['Shell(echo)'] },
      [command([['echo', 'x']], { unproven: [] })],
      'ask',
    ],
    [
      'allows no program that is started by one it names',
      'default',
      { allow: ['Shell(find)'] },
      [
        command([
          ['find', '.', '-exec', 'rm', '{}', ';'],
          ['rm', '{}'],
        ]),
      ],
      'ask',
    ],
    [
      'never allows an unknown word',
      'default',
      { allow: ['Shell(npm test)'] },
      [command([['npm', null]])],
      'ask',
    ],
    [
      'never allows an unknown program',
      'default',
      { allow: ['Shell(npm test)'] },
      [command([test, [null]])],
      'ask',
    ],
    [
      'never allows a line that can not be read',
      'default',
      { allow: ['Shell(npm test)'] },
      [command(null)],
      'ask',
    ],
    ['never allows an empty line', 'default', { allow: ['Shell(npm test)'] }, [command([])], 'ask'],
    [
      'never allows the network',
      'default',
      { allow: ['Shell(npm test)'] },
      [command([test], { network: true })],
      'ask',
    ],
    [
      'never allows it in the background',
      'default',
      { allow: ['Shell(npm test)'] },
      [command([test], { background: true })],
      'ask',
    ],
    [
      'does not open the background in plan mode',
      'plan',
      { allow: ['Shell(npm test)'] },
      [command([test], { background: true })],
      'deny',
    ],
    [
      'allows no file that the command line names',
      'default',
      { allow: ['Shell(sort)'] },
      [command([['sort', '-o', 'x', 'y']]), write('x')],
      'ask',
    ],
    [
      'allows it beside a rule for the file',
      'default',
      { allow: ['Shell(sort)', 'Edit(x)'] },
      [command([['sort', '-o', 'x', 'y']]), write('x')],
      'allow',
    ],
    [
      'denies when one command matches',
      'yolo',
      { deny: ['Shell(git push)'] },
      [command([test, push])],
      'deny',
    ],
    [
      'denies what others allow',
      'default',
      { allow: ['Shell(git)'], deny: ['Shell(git push)'] },
      [command([push])],
      'deny',
    ],
    [
      'denies a program called by its path',
      'yolo',
      { deny: ['Shell(rm)'] },
      [command([['/bin/rm', 'x']])],
      'deny',
    ],
    [
      'denies what an unknown word may be',
      'yolo',
      { deny: ['Shell(git push)'] },
      [command([['git', null]])],
      'deny',
    ],
    [
      'that denies asks about a program that is not known',
      'yolo',
      { deny: ['Shell(git push)'] },
      [command([[null]])],
      'ask',
    ],
    [
      'denies a command proven to only read, too',
      'yolo',
      { deny: ['Shell(git log)'] },
      [command([['git', 'log']], { readOnly: true })],
      'deny',
    ],
    [
      'that denies asks about a line that can not be read',
      'yolo',
      { deny: ['Shell(git push)'] },
      [command(null)],
      'ask',
    ],
    [
      'that asks does so for one of several',
      'yolo',
      { ask: ['Shell(git push)'] },
      [command([test, push])],
      'ask',
    ],
    [
      'that asks does so before what others allow',
      'default',
      { allow: ['Shell(git)'], ask: ['Shell(git push)'] },
      [command([push])],
      'ask',
    ],
    [
      'that denies may have a star for words between',
      'yolo',
      { deny: ['Shell(git * --force)'] },
      [command([test, ['git', 'push', 'origin', '--force']])],
      'deny',
    ],
    [
      'that asks may have a star for the rest of a word',
      'yolo',
      { ask: ['Shell(npm te*)'] },
      [command([test])],
      'ask',
    ],
    [
      'that asks does so for a staged run, too',
      'yolo',
      { ask: ['Shell(npm)'] },
      [command([test], { staged: true })],
      'ask',
    ],
    [
      'that asks opens nothing in plan mode',
      'plan',
      { ask: ['Shell(npm)'] },
      [command([test], { network: true })],
      'deny',
    ],
    [
      'is not the name of the tool',
      'default',
      { allow: ['t'] },
      [command([test], { network: true })],
      'allow',
    ],
  ])('%s', async (_name, mode, lists, effects, expected) => {
    expect((await permission(mode, lists)).decide({ tool: 't', effects }).decision).toBe(expected);
  });

  it('says which rules allowed a compound together', async () => {
    const decided = (await permission('default', { allow: ['Shell(npm test)', 'Shell(npm run)'] })).decide({
      tool: 't',
      effects: [command([test, lint])],
    });
    expect(decided).toMatchObject({
      reason:
        'the rule Shell(npm test) (allow:1) and the rule Shell(npm run) (allow:2) together allow running npm test && npm run lint',
      winner: { rule: 'Shell(npm test)', with: [{ rule: 'Shell(npm run)', source: 'allow:2' }] },
      considered: [
        { rule: 'Shell(npm test)', matched: false, inPart: true },
        { rule: 'Shell(npm run)', matched: false, inPart: true },
      ],
    });
  });

  it.each([
    [
      command([test, [null]]),
      'the rule Shell(git push) (deny:1) may apply: what it runs is known only when it runs, so it asks before running npm test && $X',
    ],
    [
      command(null),
      'the rule Shell(git push) (deny:1) may apply: the command line could not be read, so it asks before running ((',
    ],
    [
      command([test], { network: true, doubts: ['`npm` is not known'] }),
      'default mode asks before running npm test (network) (`npm` is not known)',
    ],
  ])('gives the reason for a question', async (effect, reason) => {
    const asked = await permission('default', { deny: ['Shell(git push)'] });
    expect(asked.decide({ tool: 't', effects: [effect] }).reason).toBe(reason);
  });
});

describe('changes of a staged command', () => {
  const staged = command([test], { staged: true });
  it.each<[string, ApprovalMode, Lists, Effect[], Verdict]>([
    ['none: nothing to ask', 'default', {}, [staged], 'allow'],
    ['are asked about', 'default', {}, [staged, write('a', true)], 'ask'],
    [
      'are kept where a rule allows the command',
      'default',
      { allow: ['Shell(npm test)'] },
      [staged, write('a', true), { kind: 'delete', path: '/work/app/b', staged: true }],
      'allow',
    ],
    ['are kept in auto-edit mode', 'auto-edit', {}, [staged, write('a', true)], 'allow'],
    [
      'are asked about where only a part of the command is allowed',
      'default',
      { allow: ['Shell(npm test)'] },
      [command([test, push], { staged: true }), write('a', true)],
      'ask',
    ],
    [
      'are asked about on a protected path',
      'yolo',
      { allow: ['Shell(npm test)'] },
      [staged, write('.git/hooks/x', true)],
      'ask',
    ],
    [
      'are asked about where a rule says so',
      'default',
      { allow: ['Shell(npm test)'], ask: ['Edit(a)'] },
      [staged, write('a', true)],
      'ask',
    ],
    [
      'are denied where a rule says so',
      'yolo',
      { allow: ['Shell(npm test)'], deny: ['Edit(a)'] },
      [staged, write('a', true)],
      'deny',
    ],
    [
      'are asked about where the command line names them',
      'default',
      { allow: ['Shell(npm test)'] },
      [staged, write('a')],
      'ask',
    ],
    [
      'are asked about when the network was open',
      'default',
      { allow: ['Shell(npm test)'] },
      [{ ...staged, network: true }, write('a', true)],
      'ask',
    ],
    [
      'are covered by rules for each file',
      'default',
      { allow: ['Edit(a)', 'Edit(b)'] },
      [staged, write('a', true), write('b', true)],
      'allow',
    ],
    [
      'without a command are changes like others',
      'default',
      { allow: ['Shell(npm test)'] },
      [write('a', true)],
      'ask',
    ],
  ])('%s', async (_name, mode, lists, effects, expected) => {
    expect((await permission(mode, lists)).decide({ tool: 't', effects }).decision).toBe(expected);
  });
});

describe('path rules bind the shell', () => {
  it.each<[string, Lists, Effect[], Verdict]>([
    [
      'reading',
      { deny: ['Read(.env)'] },
      [command([['cat', '.env']], { readOnly: true }), read('.env')],
      'deny',
    ],
    [
      'reading in yolo mode what is to be asked about',
      { ask: ['Read(.env)'] },
      [command([['cat', '.env']], { readOnly: true }), read('.env')],
      'ask',
    ],
    [
      'writing by redirection',
      { deny: ['Edit(vendor)'] },
      [command([['echo', 'x']]), write('vendor/x')],
      'deny',
    ],
    [
      'whatever allows the command',
      { allow: ['Shell(cat)', 't'], deny: ['Read(.env)'] },
      [command([['cat', '.env']]), read('.env')],
      'deny',
    ],
  ])('%s', async (_name, lists, effects, expected) => {
    expect((await permission('yolo', lists)).decide({ tool: 't', effects }).decision).toBe(expected);
  });
});
