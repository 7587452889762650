import { describe, expect, it } from 'vitest';
import { describeUnset, type UnsetProblem } from './problems.js';

const unset = (name: string, line: number): UnsetProblem => ({
  where: `s.json:${line}:1`,
  message: `a.b${line}: $${name} is not set`,
  file: 's.json',
  line,
  variable: { name, path: `a.b${line}` },
});

describe('variables that a file lacks', () => {
  it.each<[string, UnsetProblem[], string[]]>([
    ['are none', [], []],
    ['one of them in one place, are told as that', [unset('X', 1)], ['s.json:1:1: a.b1: $X is not set']],
    [
      'one of them in several places, are one variable',
      [unset('X', 1), unset('X', 2)],
      [
        's.json: this variable is not set, and what needs it is ignored until it is: $X (a.b1, line 1; a.b2, line 2).',
      ],
    ],
    [
      'in many places, are told with the first of these',
      [1, 2, 3, 4, 5].map((line) => unset('X', line)),
      [
        's.json: this variable is not set, and what needs it is ignored until it is: $X (a.b1, line 1; a.b2, line 2; a.b3, line 3; and in 2 more places).',
      ],
    ],
    [
      'several of them, are told in one sentence',
      [unset('X', 1), unset('Y', 2)],
      [
        's.json: these variables are not set, and what needs them is ignored until they are: $X (a.b1, line 1), $Y (a.b2, line 2).',
      ],
    ],
  ])('%s', (_, problems, told) => {
    expect(describeUnset(problems)).toEqual(told);
  });
});
