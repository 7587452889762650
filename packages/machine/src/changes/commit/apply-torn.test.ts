import { expect, it } from 'vitest';
import { isTorn } from './apply.js';

const cases: [string, string, string, string, boolean][] = [
  ['nothing written yet', 'before', 'after!', 'before', true],
  ['everything written', 'before', 'after!', 'after!', true],
  ['the first bytes written', 'before', 'after!', 'aftore', true],
  ['a page in the middle written', 'before', 'after!', 'betere', true],
  ['grown, the tail written first', 'ab', 'xyz12', 'abz12', true],
  ['grown, the tail written in part', 'ab', 'xyz12', 'abz', true],
  ['written but not cut to its length', 'abcde', 'xy', 'xycde', true],
  ['another byte', 'before', 'after!', 'aftQre', false],
  ['longer than both', 'ab', 'xyz', 'xyzz', false],
  ['shorter than both', 'abc', 'xyz', 'xy', false],
];
it.each(cases)(
  'a file that a crash left is told from a foreign one: %s',
  (_, before, after, found, expected) => {
    expect(isTorn(Buffer.from(found), Buffer.from(before), Buffer.from(after))).toBe(expected);
  },
);
