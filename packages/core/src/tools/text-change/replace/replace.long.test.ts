import { afterAll, expect, test } from 'vitest';
import { encodingNames, tryRandomEdits } from '../fixtures/random-edit.js';

const RUNS = 3_000;
const totals = new Map<string, number>();

/** Repeats a run: TOOLWRIGHT_SEED=… */
const seed = Number(process.env['TOOLWRIGHT_SEED'] ?? Date.now() % 2 ** 31);

test.each(encodingNames)(
  'thousands of random edits in %s change nothing outside their match',
  async (encoding) => {
    const outcomes = await tryRandomEdits(encoding, { numRuns: RUNS, seed });
    for (const [outcome, count] of outcomes) totals.set(outcome, (totals.get(outcome) ?? 0) + count);
    console.log(`${encoding}: seed ${seed}, ${describe(outcomes)}`);
    expect(outcomes.get('replaced')).toBeGreaterThan(RUNS / 5);
  },
);

afterAll(() => {
  totals.delete('skipped');
  const all = [...totals.values()].reduce((sum, count) => sum + count, 0);
  console.log(
    `random edits: seed ${seed}, ${all} operations, ${describe(totals)}, each compared byte by byte`,
  );
  expect(all).toBeGreaterThanOrEqual(20_000);
});

function describe(counts: Map<string, number>): string {
  return [...counts].map(([outcome, count]) => `${outcome} ${count}`).join(', ');
}
