import { expect, it } from 'vitest';
import { judge, parseIgnoreFile, toByteString } from './gitignore.js';

function verdict(lines: string[], path: string): boolean | undefined {
  const isDirectory = path.endsWith('/');
  const plain = isDirectory ? path.slice(0, -1) : path;
  return judge(parseIgnoreFile(toByteString(lines.join('\n'))), toByteString(plain), isDirectory);
}

const cases: [name: string, lines: string[], ignored: string[], untouched: string[]][] = [
  ['a name counts at any depth', ['foo'], ['foo', 'a/foo', 'a/b/foo/'], ['foobar', 'foo2/x']],
  ['a slash inside ties a rule to its folder', ['a/b'], ['a/b'], ['x/a/b']],
  ['a leading slash ties a rule to its folder', ['/foo'], ['foo'], ['a/foo']],
  ['a trailing slash means folders only', ['foo/'], ['foo/', 'a/foo/'], ['foo']],
  [
    'stars between slashes are any folders',
    ['**/foo', 'a/**/z'],
    ['foo', 'x/foo', 'a/z', 'a/b/c/z'],
    ['b/z'],
  ],
  ['a comment and a blank line say nothing', ['# foo', '', '   '], [], ['foo', '# foo', ' ']],
  ['an escaped mark is a character', ['\\#foo', '\\!bar'], ['#foo', '!bar'], ['foo']],
  ['blanks at the end count only when escaped', ['foo  ', 'bar\\ '], ['foo', 'bar '], ['bar', 'foo  ']],
  ['carriage returns at the end are dropped', ['foo\r'], ['foo'], ['foo\r']],
  ['a byte order mark is skipped', ['\ufefffoo'], ['foo'], []],
  ['braces are characters', ['{a,b}'], ['{a,b}'], ['a', 'b']],
  ['a question mark is one byte', ['?.txt', '??.md'], ['a.txt', 'é.md'], ['é.txt']],
  ['a rule git can not read fits nothing', ['[a', 'b\\'], [], ['a', '[a', 'b']],
];

it.each(cases)('the reader of ignore rules agrees with git: %s', (_name, lines, ignored, untouched) => {
  expect(ignored.filter((path) => verdict(lines, path) !== true)).toEqual([]);
  expect(untouched.filter((path) => verdict(lines, path) !== undefined)).toEqual([]);
});

it('the last rule that fits decides', () => {
  expect(verdict(['*.log', '!keep.log'], 'keep.log')).toBe(false);
  expect(verdict(['!keep.log', '*.log'], 'keep.log')).toBe(true);
  expect(verdict(['*.log', '!keep.log', '/keep.log'], 'keep.log')).toBe(true);
});

it('the reader of ignore rules reads huge files of hostile rules in bounded time', () => {
  const rules = parseIgnoreFile(`${'*a*a*a*a*a*a*a*b\n'.repeat(200)}${'x'.repeat(10_000)}\n`);
  expect(rules).toHaveLength(200);
  expect(judge(rules, 'a'.repeat(255), false)).toBeUndefined();
});
