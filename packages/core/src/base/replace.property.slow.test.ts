import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkEdit, encodingNames, randomEdit } from './fixtures/random-edit.js';
import { replaceText } from './replace.js';
import { applyEdits } from './text-codec.js';

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

test('replacing all equals splitting at the old text and joining with the new', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '$'), maxLength: 40 });
  const part = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '$'), maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(text, part, part, async (file, oldText, newText) => {
      fc.pre(oldText.trim() !== '' && file.includes(oldText) && oldText !== newText);
      const outcome = await replaceText({ text: file, oldText, newText, replaceAll: true });
      const result = outcome.kind === 'replaced' ? applyEdits(file, outcome.edits) : outcome.kind;
      expect(result).toBe(file.split(oldText).join(newText));
    }),
    { numRuns: 300, maxSkipsPerRun: 5_000 },
  );
});
