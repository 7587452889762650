import { expect, it } from 'vitest';
import { comparisonSentences } from './comparison.js';
import type { EvalComparison } from './results.js';

const base: EvalComparison = {
  pairs: 30,
  otherwise: 5,
  passed: { value: -0.167, low: -0.336, high: -0.02 },
  tokens: { value: 0, low: 0, high: 0 },
  seconds: { value: -0.01, low: -0.12, high: 0.04 },
  tasks: [],
};
const sentences = (given: Partial<EvalComparison>): string[] =>
  comparisonSentences({ ...base, ...given }).all;

it('a comparison says of each number whether it may be chance', () => {
  expect(sentences({})).toEqual([
    '30 runs, each compared with the run of the same task and number.',
    'passed: -16.7 points (95 % interval -33.6 points to -2.0 points): a difference',
    'tokens: 0 (95 % interval 0 to 0): no difference',
    'seconds: 0.0 (95 % interval -0.1 to 0.0), which depends on what else the machine did',
  ]);
});

it('a comparison calls few runs that ended otherwise chance, and a single pair too few', () => {
  expect(sentences({ otherwise: 4 })[1]).toMatch(/: may be chance, as only 4 runs ended differently$/);
  expect(sentences({ otherwise: 0, passed: { value: 0, low: -0.1, high: 0.1 } })[1]).toBe(
    'passed: 0.0 points (95 % interval -10.0 points to +10.0 points): every run ended as before',
  );
  expect(sentences({ pairs: 1, passed: null, tokens: null, seconds: null })).toEqual([
    '1 run, each compared with the run of the same task and number.',
    'passed: too few runs to tell',
    'tokens: too few runs to tell',
    'seconds: too few runs to tell',
  ]);
});
