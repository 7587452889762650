import { expect, it } from 'vitest';
import { roundTrips } from './fixtures/round-trips.js';

it('random change sets on random trees, committed and undone, give back the very same tree', async () => {
  const totals = await roundTrips(25, 20_301);
  expect(totals.runs).toBe(25);
  expect(totals.changes).toBeGreaterThan(50);
});
