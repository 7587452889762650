import type { CommandWords } from '@toolwright/machine/base/effect.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mayBeginWith, narrowingWords, ruleWords, shellRule } from './patterns.js';

const wordsOf = (pattern: string) => ruleWords({ pattern, source: 'settings.json:3' });

describe('the words of a Shell rule', () => {
  it.each([
    ['npm test', ['npm', 'test']],
    ['  git   log\t', ['git', 'log']],
    ['git commit -m "a b"', ['git', 'commit', '-m', 'a b']],
    ['git commit -m \'a "b" c\'', ['git', 'commit', '-m', 'a "b" c']],
    ['a\\ b c', ['a b', 'c']],
    ['"a\\"b" c', ['a"b', 'c']],
    ['"a\\nb"', ['a\\nb']],
    ['pre"fix ed"end', ['prefix edend']],
    ["find . -name '*.ts'", ['find', '.', '-name', '*.ts']],
    ['echo ""', ['echo', '']],
    ['./run.sh --flag=x', ['./run.sh', '--flag=x']],
    ['größe 日本', ['größe', '日本']],
  ])('%s', (pattern, words) => {
    expect(wordsOf(pattern)).toEqual(words);
  });

  it.each([
    ['git log *', /has a \*.*Shell\(git log\), not/],
    ['git:*', /has a \*/],
    ['npm test && npm run lint', /has a &.*a rule of its own/],
    ['ls | head', /has a \|/],
    ['echo $HOME', /has a \$/],
    ['echo `id`', /has a `/],
    ['git (log)', /has a \(/],
    ['echo "a', /opens a quote " and does not close it/],
    ["echo 'a", /opens a quote ' and does not close it/],
    ['"" a', /names no program/],
  ])('%s is a mistake, named with its place', (pattern, message) => {
    expect(() => wordsOf(pattern)).toThrow(message);
    expect(() => wordsOf(pattern)).toThrow(/^settings\.json:3: the rule "Shell\(/);
  });

  it('come back from the rule that is made of them', () => {
    const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
        const rule = shellRule(words);
        expect(wordsOf(rule.slice('Shell('.length, -1))).toEqual(words);
      }),
    );
  });
});

describe('what a command may turn out to be', () => {
  it.each<[CommandWords, string[], boolean]>([
    [['git', 'push'], ['git', 'push'], true],
    [['git', 'push', 'origin'], ['git', 'push'], true],
    [['git', 'pushed'], ['git', 'push'], false],
    [['git'], ['git', 'push'], false],
    [['/usr/bin/git', 'push'], ['git', 'push'], true],
    [['./git', 'push'], ['git', 'push'], true],
    [['mygit', 'push'], ['git', 'push'], false],
    [['git', null], ['git', 'push'], true],
    [['git', null, 'x'], ['git', 'push', 'y'], true],
    [[null], ['git', 'push'], false],
    [[null, 'pull'], ['git', 'push'], false],
    [['git', 'pu*'], ['git', 'push'], false],
    [['git', '-C', null, 'pull'], ['git', 'push'], false],
    [['git', 'pull', null], ['git', 'push'], false],
    [[], ['git'], false],
  ])('%j may begin with %j: %s', (command, words, expected) => {
    expect(mayBeginWith(command, words)).toBe(expected);
  });
});

describe('a star in a rule that asks or denies', () => {
  it.each<[string, CommandWords, boolean]>([
    ['git * --force', ['git', 'push', '--force'], true],
    ['git * --force', ['git', '-C', 'x', 'push', 'origin', '--force', 'main'], true],
    ['git * --force', ['/usr/bin/git', '--force'], true],
    ['git * --force', ['git', 'push', '--force-with-lease'], false],
    ['git * --force', ['git', 'push', null], true],
    ['git * --force', ['git', 'commit', '-m', '--forced'], false],
    ['git * --force', ['mygit', 'push', '--force'], false],
    ['git * --force', ['git', 'grep', 'a.*b'], false],
    ['git * --force', ['git', 'commit', '-m', 'Fix [bug]'], false],
    ['git * --force', ['git', 'log', '--grep', 'why?'], false],
    ['git * --force', ['git', 'push', '-u', null], true],
    ['git * --force *', ['git', 'push', '-u', null], true],
    ['git push --force*', ['git', 'push', '--force-with-lease'], true],
    ['git push *:main', ['git', 'push', 'origin', 'HEAD:main'], false],
    ['git push * *:main', ['git', 'push', 'origin', 'HEAD:main'], true],
    ['rm*', ['rmdir', 'x'], true],
    ['rm*', ['/bin/rmdir', 'x'], true],
    ['rm*', ['farm'], false],
    ['* --no-verify', ['git', 'commit', '--no-verify'], true],
    ['* --no-verify', ['git', 'commit'], false],
    ['* --no-verify', ['grep', '-n', 'foo.*bar', 'src'], false],
    ['* --no-verify', ['echo', null], false],
    ['* --no-verify', ['git', 'commit', null, '--no-verify'], true],
    ['git log *', ['git', 'log'], true],
    ['a*b*c x', ['abbbc', 'x'], true],
    ['a*b*c x', ['ac', 'x'], false],
    ['a*a x', ['a', 'x'], false],
    ['find "*"', ['find', 'x'], false],
  ])('Shell(%s) is about %j: %s', (pattern, command, expected) => {
    expect(mayBeginWith(command, narrowingWords({ pattern, source: 'settings.json:3' }))).toBe(expected);
  });

  it.each([
    ['*', /names no command\. For every command name the tool: run_shell_command/],
    ['* *', /names no command/],
    ['git *|x', /has a \|/],
  ])('Shell(%s) is a mistake', (pattern, message) => {
    expect(() => narrowingWords({ pattern, source: 'settings.json:3' })).toThrow(message);
  });
});
