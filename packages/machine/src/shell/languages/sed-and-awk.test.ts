import { expect, it } from 'vitest';
import { analyseCommand } from '../analyse.js';
import { quote } from '../shell-word.js';
import { judgeAwk } from './awk.js';

const context = { directory: '/work/app', roots: ['/work/app'], home: '/home/me' };
const proves = async (program: string, text: string): Promise<boolean> =>
  (await analyseCommand(`${program} ${quote(text)} a`, context)).readOnly;

it.each([
  ['1,$!{/a/d}', true],
  ['/a/,+3p', true],
  ['0~3d', true],
  ['\\%a/b%p', true],
  ['s/a\\/b/c\\/d/g;s|x|y|', true],
  ['a\\\ntext; e id', true],
  ['i text w out', true],
  ['s/\\n/ /;ta;:a;N', true],
  ['/start/,/end/{//!p}', true],
  ['s/[^a-z]//g', true],
  ['y/abc/def/;p', true],
  ['# e id\np', true],
  ['s/a/b/3', true],
  ['s/[/]/x/', false],
  ['s/a/b/e', false],
  ['s/a/b/we', false],
  ['s/a/b/;;e', false],
  ['{{e id', false],
  ['1,3{p;e id', false],
  ['/a\\/e id/p;e id', false],
  ['s/a/b\ne id', false],
  ['p e id', false],
  ['}e', false],
  ['sxaxbxe', false],
  ['s a b e', false],
  ['1!!e id', false],
  ['a\\', false],
  ['v', false],
])('the sed script %j is proven to only read: %s', async (script, proven) => {
  expect(await proves('sed', script)).toBe(proven);
});

it.each([
  ['{print}', true],
  ['$1 ~ /a/ && $2 !~ /b|c/', true],
  ['NR % 2 == 0 { n++ } END { print n + 0 }', true],
  ['{ gsub(/[ \t]+/, " "); print toupper($0) }', true],
  ['{ print $1 "|" $2 ">" $3 }', true],
  ['BEGIN { while (i < 3) { i++; print i } }', true],
  ['{ x = $1 / $2 / 3; print x }', true],
  ['{ if ($1 > 5 || $2 > 6) print; else next }', true],
  ['function f(a) { return a > 1 } { print f($1) }', true],
  ['!seen[$0]++', true],
  ['{ print substr($0, index($0, $3)) }', true],
  ['{ print > $1 }', false],
  ['{ print a, b > c }', false],
  ['{ print(a)(b) > "c" }', false],
  ['{ if (1) print > "c" }', false],
  ['{ for (;;) print > "c" }', false],
  ['{ printf "a" >> "b" }', false],
  ['{ "date" | getline }', false],
  ['{ close("x") } { print | "x" }', false],
  ['/[/]/ { print | "x" } /[/]/', false],
  ['a++ /"/ ; print | "sh" /"/', false],
  ['{ print "a\nb" }', false],
  ["{ print 'x' }", false],
  ['BEGIN { printf "%s" , "a" | "sh" }', false],
])('the awk program %j is proven to only read: %s', async (program, proven) => {
  expect(judgeAwk(program) === null).toBe(proven);
  expect(await proves('awk', program)).toBe(proven);
});

it.each([
  ['.a.env', true],
  ['.["env"]', true],
  ['."env"', true],
  ['map(.x) | add', true],
  ['env.HOME', false],
  ['.a | env', false],
  ['[$ENV]', false],
  ['import "a" as b; b::c', false],
])('the jq filter %j is proven to only read: %s', async (filter, proven) => {
  expect(await proves('jq', filter)).toBe(proven);
});
