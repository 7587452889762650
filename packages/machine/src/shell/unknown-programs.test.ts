import { expect, it } from 'vitest';
import { hasUnknownProgram } from './unknown-programs.js';

it.each([
  ['$X/check.sh', true],
  ['"$X"/check.sh', true],
  ['$(git rev-parse --show-toplevel)/check.sh', true],
  ['echo "$(`which x` y)"', true],
  ['if true; then "$X"; fi', true],
  ['a=$(cat); [ "$a" ] && ./check.sh "$a"', false],
  [`'check it' x; "check it" x; che"ck" $X`, false],
  ['a=$X', false],
])('the program of %s is known only when it runs: %s', async (line, isUnknown) => {
  expect(await hasUnknownProgram(line)).toBe(isUnknown);
});
