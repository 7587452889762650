import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mergeTexts } from './merge.js';
import { applyEdits } from './text-codec.js';

const base = 'one\ntwo\nthree\nfour\nfive\nsix\n';

async function merged(ours: string, theirs: string, from = base): Promise<string> {
  const result = await mergeTexts({ base: from, ours, theirs });
  if (result.kind === 'conflict') throw new Error(`conflict in ${JSON.stringify(result.lines)}`);
  return applyEdits(theirs, result.edits);
}

describe('mergeTexts', () => {
  test.each([
    [
      'changes in different lines',
      base.replace('two', 'TWO'),
      base.replace('five', 'FIVE'),
      'one\nTWO\nthree\nfour\nFIVE\nsix\n',
    ],
    [
      'their insertion above ours',
      base.replace('five', 'FIVE'),
      `zero\n${base}`,
      'zero\none\ntwo\nthree\nfour\nFIVE\nsix\n',
    ],
    [
      'a deletion and an addition',
      base.replace('two\n', ''),
      `${base}seven\n`,
      'one\nthree\nfour\nfive\nsix\nseven\n',
    ],
    [
      'the same change twice',
      base.replace('two', 'TWO'),
      base.replace('two', 'TWO'),
      base.replace('two', 'TWO'),
    ],
    [
      'the same change and one more',
      base.replace('two', 'TWO').replace('six', 'SIX'),
      base.replace('two', 'TWO'),
      base.replace('two', 'TWO').replace('six', 'SIX'),
    ],
    [
      'their line endings in another part',
      base.replace('one', 'ONE'),
      base.replace('six\n', 'six\r\n'),
      base.replace('one', 'ONE').replace('six\n', 'six\r\n'),
    ],
  ])('merges two changes or finds the conflict: %s', async (_name, ours, theirs, expected) => {
    expect(await merged(ours, theirs)).toBe(expected);
  });

  test.each([
    ['the same line in two ways', base.replace('two', 'TWO'), base.replace('two', 'zwei'), [[2, 2]]],
    ['neighbouring lines', base.replace('two', 'TWO'), base.replace('three', 'drei'), [[2, 3]]],
    [
      'two insertions at one place',
      base.replace('two\n', 'two\na\n'),
      base.replace('two\n', 'two\nb\n'),
      [[3, 3]],
    ],
    ['a change of what they deleted', base.replace('two', 'TWO'), base.replace('two\nthree\n', ''), [[2, 2]]],
  ])('%s is a conflict', async (_name, ours, theirs, lines) => {
    expect(await mergeTexts({ base, ours, theirs })).toEqual({ kind: 'conflict', lines });
  });
});

test('a side that changed nothing takes the other side whole', async () => {
  const text = fc
    .array(fc.constantFrom('a\n', 'b\n', '\n', 'c\r\n'), { maxLength: 20 })
    .map((lines) => lines.join(''));
  await fc.assert(
    fc.asyncProperty(text, text, async (from, changed) => {
      expect(await merged(changed, from, from)).toBe(changed);
      expect(await merged(from, changed, from)).toBe(changed);
      expect(await merged(changed, changed, from)).toBe(changed);
    }),
    { numRuns: 300 },
  );
});

/** For each block of unique lines: who changes it, and to how many new lines. An untouched line stands between blocks. */
const blocks = fc.array(
  fc.record({
    who: fc.constantFrom('ours', 'theirs', 'nobody'),
    lines: fc.integer({ min: 0, max: 3 }),
    added: fc.integer({ min: 0, max: 3 }),
  }),
  { minLength: 1, maxLength: 12 },
);

test('a merge of changes in different places equals making both', async () => {
  await fc.assert(
    fc.asyncProperty(blocks, async (list) => {
      const build = (apply: (who: string) => boolean) =>
        list
          .map(({ who, lines, added }, block) => {
            const count = apply(who) ? added : lines;
            const name = apply(who) ? 'new' : 'old';
            const body = Array.from({ length: count }, (_, index) => `${name} ${block}.${index}\n`).join('');
            return `${body}fixed ${block}\n`;
          })
          .join('');
      const from = build(() => false);
      const ours = build((who) => who === 'ours');
      const theirs = build((who) => who === 'theirs');
      expect(await merged(ours, theirs, from)).toBe(build((who) => who !== 'nobody'));
    }),
    { numRuns: 500 },
  );
});
