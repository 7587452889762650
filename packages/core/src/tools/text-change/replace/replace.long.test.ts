import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { checkEdit, encodingNames, randomEdit } from '../fixtures/random-edit.js';

const RUNS = 3_000;
const totals = new Map<string, number>();

/** Repeats a run: TOOLWRIGHT_SEED=… */
const seed = Number(process.env['TOOLWRIGHT_SEED'] ?? Date.now() % 2 ** 31);

test.each(encodingNames)(
  'thousands of random edits in %s change nothing outside their match',
  async (encoding) => {
    const outcomes = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(randomEdit(encoding), async (edit) => {
        const { outcome } = await checkEdit(edit);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        totals.set(outcome, (totals.get(outcome) ?? 0) + 1);
      }),
      { numRuns: RUNS, seed },
    );
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
