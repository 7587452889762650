import { expect, it } from 'vitest';
import { parts } from '../fixtures/round-trips.js';

it('any part of a change set can be kept, and what is left can be kept later', async () => {
  const seed = 20261118;
  const totals = await parts(150, seed);
  expect(totals.runs).toBe(150);
  expect(totals.kept).toBeGreaterThan(300);
  expect(totals.left).toBeGreaterThan(100);
}, 120_000);
