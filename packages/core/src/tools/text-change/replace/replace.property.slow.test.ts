import { applyEdits } from '@toolwright/machine/base/text-codec.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodingNames, tryRandomEdits } from '../fixtures/random-edit.js';
import { diagnose } from './diagnosis.js';
import { replaceText } from './replace.js';

test.each(encodingNames)(
  'a random edit of a random file in %s changes nothing outside its match',
  async (encoding) => {
    const outcomes = await tryRandomEdits(encoding, { numRuns: 150 });
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

test('a misspelt edit is never said to have been made before, unless the file reads as wanted', async () => {
  const text = (most: number) =>
    fc.string({ unit: fc.constantFrom('a', 'b', '{', '\n', ' '), maxLength: most });
  const place = fc.record({ before: text(12), old: text(9), after: text(12) });
  const edit = fc.record({ keep: fc.tuple(fc.nat(4), fc.nat(4)), added: text(3), typoAt: fc.nat(8) });
  let said = 0;
  await fc.assert(
    fc.asyncProperty(place, edit, async ({ before, old, after }, { keep: [head, tail], added, typoAt }) => {
      fc.pre(head + tail <= old.length && old.length > 0);
      const file = before + old + after;
      const newText = old.slice(0, head) + added + old.slice(old.length - tail);
      const at = typoAt % old.length;
      const oldText = `${old.slice(0, at)}x${old.slice(at + 1)}`;
      const diagnosis = await diagnose({ text: file, oldText, newText });
      if (diagnosis.kind !== 'applied') return;
      said++;
      expect(newText).toBe(old);
    }),
    { numRuns: 20_000, maxSkipsPerRun: 100 },
  );
  expect(said).toBeGreaterThan(0);
});

test('new text is written as sent, but for what repeats the old text', async () => {
  const words = fc.array(fc.constantFrom('a', 'b', '-', '--', "'", '"', ' ', '('), { maxLength: 8 });
  const fancy: Record<string, string> = { '-': '\u2014', "'": '\u2019', '"': '\u201C', ' ': '\u00A0' };
  await fc.assert(
    fc.asyncProperty(words, words, words, async (head, middle, tail) => {
      const [oldText, newText] = [[...head, 'X', ...tail].join(''), [...head, ...middle, ...tail].join('')];
      const file = oldText.replace(/[-'" ]/g, (character) => fancy[character]!);
      fc.pre(oldText !== file && oldText !== newText);
      const outcome = await replaceText({ text: file, oldText, newText });
      fc.pre(outcome.kind === 'replaced');
      const result = outcome.kind === 'replaced' ? applyEdits(file, outcome.edits) : '';
      const plain = [...result].map((character) => plainOf[character] ?? character).join('');
      expect(plain).toBe(newText);
      // Signs that the new text has more of than the old one can't come from the file.
      const dashes = (text: string, sign: string) => text.split(sign).length - 1;
      for (const [simple, sign] of Object.entries(fancy)) {
        expect(dashes(result, sign)).toBeLessThanOrEqual(
          Math.min(dashes(file, sign), dashes(newText, simple)),
        );
      }
    }),
    { numRuns: 3_000, maxSkipsPerRun: 100 },
  );
});

const plainOf: Record<string, string> = { '\u2014': '-', '\u2019': "'", '\u201C': '"', '\u00A0': ' ' };
