import { expect, it } from 'vitest';
import { crashes, roundTrips } from './fixtures/round-trips.js';

it('random change sets on random trees, committed and undone, give back the very same tree', async () => {
  const totals = await roundTrips(12, 20_301);
  expect(totals.runs).toBe(12);
  expect(totals.changes).toBeGreaterThan(20);
});

it('a crash anywhere in a random change set leaves the tree from before, once started again', async () => {
  const totals = await crashes(20, 20_302);
  expect(totals.runs).toBe(20);
  expect(totals.takenBack).toBeGreaterThan(5);
});
