import { expect, it } from 'vitest';
import { plainMutants, provenMutants } from './fixtures/mutated-lines.js';

it('what bash rejects is never proven, however everyday lines are mutated', async () => {
  const { tried, rejected } = await provenMutants(20_000, 2_000);
  expect(rejected).toEqual([]);
  expect(tried).toBe(2_000);
});

it('bash accepts every line that is plainly read', () => {
  const { tried, rejected } = plainMutants(20_000, 2_000);
  expect(rejected).toEqual([]);
  expect(tried).toBeGreaterThan(500);
});
