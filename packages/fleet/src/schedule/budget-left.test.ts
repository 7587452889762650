import { expect, it } from 'vitest';
import { budgetLeft } from './budget-left.js';
import { addUsage, noUsage } from './record.js';

it('a task that goes on has what its earlier deliveries have left of its turns, tokens, money and minutes', () => {
  const budget = { turns: 5, tokens: 1_000, minutes: 0.5, cost: 0.2 };
  const first = { turns: 2, calls: 1, inputTokens: 300, outputTokens: 100, cost: 0.05, ms: 20_000 };
  expect(budgetLeft(budget, noUsage)).toEqual({ turns: 5, tokens: 1_000, cost: 0.2, ms: 30_000 });
  expect(budgetLeft(budget, first)).toEqual({
    turns: 3,
    tokens: 600,
    cost: expect.closeTo(0.15),
    ms: 10_000,
  });
  const spent = addUsage(first, { ...first, turns: 9, ms: 60_000 });
  expect(budgetLeft(budget, spent)).toMatchObject({ turns: 0, ms: 0 });
  expect(Object.values(budgetLeft(undefined, first)).every((each) => each === undefined)).toBe(true);
});

it('usage that an earlier version has written, without the time of the work, is added as it is', () => {
  const { ms: _ms, ...earlier } = { ...noUsage, turns: 2 };
  expect(addUsage(earlier as typeof noUsage, { ...noUsage, ms: 7 })).toMatchObject({ turns: 2, ms: 7 });
});
