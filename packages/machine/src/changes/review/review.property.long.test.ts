import { expect, it } from 'vitest';
import { parts } from '../fixtures/round-trips.js';

it('any part of a change set can be kept, and what is left can be kept later', async () => {
  const seed = Date.now();
  const totals = await parts(600, seed);
  expect(totals.runs, `with the seed ${seed}`).toBe(600);
  expect(totals.kept).toBeGreaterThan(1_200);
  expect(totals.left).toBeGreaterThan(400);
});
