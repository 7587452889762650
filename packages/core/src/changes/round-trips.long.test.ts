import { expect, it } from 'vitest';
import { roundTrips } from './fixtures/round-trips.js';

it('random change sets on random trees, committed and undone, give back the very same tree', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const totals = await roundTrips(1_500, seed);
  console.log(`round-trips: ${JSON.stringify({ seed, ...totals })}`);
  expect(totals.runs).toBe(1_500);
});
