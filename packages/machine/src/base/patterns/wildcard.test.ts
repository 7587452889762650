import { expect, it } from 'vitest';
import { compileWildcard } from './wildcard.js';

const strict = { caseSensitive: true, brokenSet: 'nothing' } as const;
const fits = (pattern: string, text: string) => compileWildcard(pattern, strict).fits(text);

const cases: [pattern: string, fitting: string[], others: string[]][] = [
  ['a', ['a'], ['', 'b', 'aa', 'A']],
  ['a?c', ['abc', 'a?c', 'aéc', 'a😀c'], ['ac', 'a/c', 'abbc']],
  ['*', ['', 'a', '.hidden'], ['a/b']],
  ['*.ts', ['.ts', 'a.ts'], ['a/b.ts', 'a.tsx']],
  ['a*a', ['aa', 'aba'], ['a', 'a/a']],
  ['a/**/*/a', ['a/b/a', 'a/b/c/a'], ['a/a']],
  ['**/ab*ab', ['abab', 'x/abcab'], ['ab', 'ab/ab']],
  ['a*b*c', ['abc', 'aXbYc', 'abcbc'], ['ab', 'a/b/c']],
  ['**', ['', 'a', 'a/b/c'], []],
  ['**/a', ['a', 'b/a', 'b/c/a'], ['ba', 'a/b', 'b/ca']],
  ['a/**', ['a/b', 'a/b/c', 'a/'], ['a', 'b/a']],
  ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['ab', 'a/xb', 'ax/b']],
  ['a**/b', ['a/b', 'axx/b'], ['a/x/b']],
  ['x**', ['x', 'xy'], ['x/y']],
  ['**/**/a', ['a', 'b/a', 'b/c/a'], ['b']],
  ['[ab]', ['a', 'b'], ['c', '', 'ab']],
  ['[!ab]', ['c', ']'], ['a', 'b', '/']],
  ['[^ab]', ['c'], ['a', '/']],
  ['[a-c]', ['a', 'b', 'c'], ['d', '-']],
  ['[a-]', ['a', '-'], ['b']],
  ['[]a]', [']', 'a'], ['b', '']],
  ['[[:digit:]x]', ['0', '9', 'x'], ['y', ':']],
  ['[[:upper:]]', ['A'], ['a']],
  ['[[:nothing:]]', [], ['n', ':', '[']],
  ['[:a]', [':', 'a'], ['b']],
  ['[\\]]', [']'], ['\\']],
  ['[a', [], ['a', '[a']],
  ['\\*', ['*'], ['a', '\\*']],
  ['a\\', [], ['a', 'a\\']],
  ['é', ['é'], ['e']],
];

it.each(cases)('%s fits what it should and nothing else', (pattern, fitting, others) => {
  expect(fitting.filter((text) => !fits(pattern, text))).toEqual([]);
  expect(others.filter((text) => fits(pattern, text))).toEqual([]);
});

it('a wildcard takes a bracket without an end as a character where asked to', () => {
  const wildcard = compileWildcard('[a', { caseSensitive: true, brokenSet: 'character' });
  expect(wildcard.fits('[a')).toBe(true);
});

it('the matcher compares without regard to case where asked to, in sets too', () => {
  const wildcard = compileWildcard('ReadMe.[M-N]d', { caseSensitive: false, brokenSet: 'nothing' });
  expect(['README.md', 'readme.ND', 'readme.kd'].map((text) => wildcard.fits(text))).toEqual([
    true,
    true,
    false,
  ]);
});

it('the matcher comes to an end on patterns that take a backtracking matcher longer than the universe', () => {
  const text = 'a'.repeat(3000);
  expect(fits(`${'*a'.repeat(500)}*b`, text)).toBe(false);
  expect(fits(`${'**/'.repeat(500)}b`, `${'a/'.repeat(1000)}a`)).toBe(false);
  expect(fits(`${'*a'.repeat(500)}*`, text)).toBe(true);
});
