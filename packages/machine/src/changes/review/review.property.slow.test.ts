import { expect, it } from 'vitest';
import { parts } from '../fixtures/round-trips.js';

it('any part of a change set can be kept, and what is left can be kept later', async () => {
  const seed = 20261118;
  const totals = await parts(40, seed);
  expect(totals.runs).toBe(40);
  expect(totals.kept).toBeGreaterThan(75);
  expect(totals.left).toBeGreaterThan(25);
}, 120_000);
