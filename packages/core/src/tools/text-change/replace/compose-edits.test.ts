import { applyEdits, type TextEdit } from '@toolwright/machine/base/text-codec.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { composeEdits } from './compose-edits.js';

/** Edits of a text of this length, in order and apart from each other. */
function editsFrom(length: number, cuts: readonly number[], texts: readonly string[]): TextEdit[] {
  const places = [...new Set(cuts.map((cut) => cut % (length + 1)))].sort((a, b) => a - b);
  const edits: TextEdit[] = [];
  for (let index = 0; index + 1 < places.length; index += 2) {
    edits.push({ start: places[index]!, end: places[index + 1]!, text: texts[index] ?? '' });
  }
  return edits;
}

const cuts = fc.array(fc.nat(40), { maxLength: 8 });
const texts = fc.array(fc.string({ maxLength: 5 }), { maxLength: 8 });

test('edits of edits give the same text as one list of edits of the original', () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 30 }),
      cuts,
      texts,
      cuts,
      texts,
      (original, cuts1, texts1, cuts2, texts2) => {
        const first = editsFrom(original.length, cuts1, texts1);
        const between = applyEdits(original, first);
        const second = editsFrom(between.length, cuts2, texts2);
        const composed = composeEdits(original.length, first, second);
        expect(applyEdits(original, composed)).toBe(applyEdits(between, second));
      },
    ),
  );
});

test('what neither list of edits touches is touched by none of the result', () => {
  const first = [{ start: 2, end: 4, text: 'xyz' }];
  const second = [{ start: 3, end: 8, text: '-' }];
  expect(composeEdits(20, first, second)).toEqual([{ start: 2, end: 7, text: 'x-' }]);
  expect(composeEdits(20, [], [])).toEqual([]);
});
