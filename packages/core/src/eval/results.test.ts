import { expect, it } from 'vitest';
import { differenceOfMeans, differenceOfShares, spreadOf, wilson } from './results.js';

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

it('the interval of a difference of means leaves out zero where the runs lie clearly apart, and is the same each time', () => {
  const [low, high] = [
    [10, 11, 9, 10, 10, 12],
    [20, 21, 19, 22, 20, 20],
  ];
  const apart = differenceOfMeans(low!, high!);
  expect(apart.low).toBeGreaterThan(8);
  expect(apart).toEqual(differenceOfMeans(low!, high!));
  const same = differenceOfMeans(low!, low!);
  expect([same.low < 0, same.high > 0]).toEqual([true, true]);
});

it('a spread tells mean, deviation and both ends', () => {
  expect(spreadOf([2, 4, 4, 4, 5, 5, 7, 9])).toMatchObject({ mean: 5, least: 2, most: 9 });
  expect(spreadOf([2, 4, 4, 4, 5, 5, 7, 9]).deviation).toBeCloseTo(2.138, 3);
});
