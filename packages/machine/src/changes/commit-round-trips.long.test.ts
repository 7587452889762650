import { expect, it } from 'vitest';
import { crashes, roundTrips } from './fixtures/round-trips.js';

const seed = Math.floor(Math.random() * 2 ** 31);

it('random change sets on random trees, committed and undone, give back the very same tree', async () => {
  const totals = await roundTrips(1_000, seed);
  console.log(`round-trips: ${JSON.stringify({ seed, ...totals })}`);
  expect(totals.runs).toBe(1_000);
});

it('a crash anywhere in a random change set leaves the tree from before, once started again', async () => {
  const totals = await crashes(1_000, seed);
  console.log(`crashes: ${JSON.stringify({ seed, ...totals })}`);
  expect(totals.runs).toBe(1_000);
  expect(totals.takenBack).toBeGreaterThan(100);
});
