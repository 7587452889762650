import { expect, it } from 'vitest';
import {
  compareRuns,
  differenceOfPairedShares,
  differenceOfShares,
  type EvalRun,
  meanOfDifferences,
  spreadOf,
  wilson,
} from './results.js';

const rounded = ({ value, low, high }: { value: number; low: number; high: number }) =>
  [value, low, high].map((each) => Number(each.toFixed(3)));

it.each([
  [0, 10, [0, 0, 0.278]],
  [5, 10, [0.5, 0.237, 0.763]],
  [10, 10, [1, 0.722, 1]],
  [81, 263, [0.308, 0.255, 0.366]],
])('%i of %i lie in the interval that tables give', (passed, runs, expected) => {
  expect(rounded(wilson(passed, runs))).toEqual(expected);
});

it('the interval of a difference of shares is that of the published example', () => {
  // 56 of 70 against 48 of 80, in Newcombe's paper: 0.2 with 0.0524 to 0.3339.
  expect(rounded(differenceOfShares(wilson(48, 80), wilson(56, 70)))).toEqual([0.2, 0.052, 0.334]);
});

it.each([
  // The examples of Newcombe's paper on pairs: 36 in both, 12 only now, 2 only then.
  [{ both: 36, onlyNow: 12, onlyThen: 2, neither: 0 }, [0.2, 0.057, 0.34]],
  [{ both: 30, onlyNow: 0, onlyThen: 0, neither: 0 }, [0, -0.114, 0.114]],
  [{ both: 36, onlyNow: 14, onlyThen: 0, neither: 0 }, [0.28, 0.153, 0.417]],
])('the interval of shares over pairs %o is that of tables', (counts, expected) => {
  const pairs = [
    ...Array.from({ length: counts.both }, () => [true, true] as const),
    ...Array.from({ length: counts.onlyNow }, () => [false, true] as const),
    ...Array.from({ length: counts.onlyThen }, () => [true, false] as const),
    ...Array.from({ length: counts.neither }, () => [false, false] as const),
  ];
  expect(rounded(differenceOfPairedShares(pairs))).toEqual(expected);
});

it('pairs that agree make the interval of a difference of shares narrower than that of runs apart', () => {
  const pairs = Array.from({ length: 20 }, (_, index) => [index < 10, index < 11] as const);
  const paired = differenceOfPairedShares(pairs);
  const apart = differenceOfShares(wilson(10, 20), wilson(11, 20));
  expect(paired.value).toBeCloseTo(apart.value);
  expect(paired.high - paired.low).toBeLessThan(0.6 * (apart.high - apart.low));
});

it('the mean of differences has the interval of Student, which few pairs make wide, and a single pair has none', () => {
  const differences = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2.0];
  // The first group of Student's own data on sleep: 0.75, and 2.262 times 1.789 over the root of 10.
  expect(rounded(meanOfDifferences(differences)!)).toEqual([0.75, -0.53, 2.03]);
  expect(rounded(meanOfDifferences([10, 11, 12])!)).toEqual([11, 8.516, 13.484]);
  expect(rounded(meanOfDifferences(Array.from({ length: 31 }, (_, index) => index))!)).toEqual([
    15, 11.665, 18.335,
  ]);
  expect(meanOfDifferences([10])).toBeNull();
});

const run = (task: string, number: number, passed: boolean, inputTokens: number): EvalRun => ({
  v: 1,
  task,
  number,
  passed,
  ended: '',
  output: '',
  model: '',
  reason: 'done',
  turns: 1,
  calls: 1,
  refused: 0,
  inputTokens,
  outputTokens: 0,
  cost: null,
  durationMs: 1,
  error: null,
});

it('two evaluations are compared run by run, so that tasks of very different size do not hide a difference', () => {
  const sizes = [1_000, 20_000, 300_000];
  const before = sizes.flatMap((size, index) => [1, 2].map((number) => run(`t${index}`, number, true, size)));
  const now = sizes.flatMap((size, index) =>
    [1, 2, 3].map((number) => run(`t${index}`, number, true, size + 100 + number)),
  );
  const comparison = compareRuns([...before, run('gone', 1, false, 5)], [...now, run('new', 1, false, 5)]);
  expect(comparison.pairs).toBe(6);
  expect(rounded(comparison.tokens!)).toEqual([101.5, 100.925, 102.075]);
  expect(comparison.tasks.map(({ name }) => name)).toEqual(['t0', 't1', 't2']);
  expect(comparison.passed?.value).toBe(0);
  const single = compareRuns([run('t', 1, false, 10)], [run('t', 1, true, 20)]);
  expect(single).toMatchObject({ pairs: 1, passed: null, tokens: null, seconds: null });
});

it('a spread tells mean, deviation and both ends', () => {
  expect(spreadOf([2, 4, 4, 4, 5, 5, 7, 9])).toMatchObject({ mean: 5, least: 2, most: 9 });
  expect(spreadOf([2, 4, 4, 4, 5, 5, 7, 9]).deviation).toBeCloseTo(2.138, 3);
});
