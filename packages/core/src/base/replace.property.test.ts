import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkEdit, encodingNames, randomEdit } from './fixtures/random-edit.js';

test.each(encodingNames)(
  'a random edit of a random file in %s changes nothing outside its match',
  async (encoding) => {
    const outcomes = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(randomEdit(encoding), async (edit) => {
        const { outcome } = await checkEdit(edit);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }),
      { numRuns: 150 },
    );
    expect(outcomes.get('replaced')).toBeGreaterThan(15);
  },
);
