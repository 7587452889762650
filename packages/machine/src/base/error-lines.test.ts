import fc from 'fast-check';
import { expect, it } from 'vitest';
import { errorLines, looksLikeError } from './error-lines.js';

const found = (text: string): string[] =>
  errorLines(text, Number.POSITIVE_INFINITY).map(({ start, end }) => text.slice(start, end));

/** Gives the lines that examining every line would find. */
const examined = (text: string): string[] => (text.match(/.*\n/g) ?? []).filter(looksLikeError);

const words =
  'error Errors TypeError fatal panic panicked exception Traceback failed failure undefined|reference cannot|find not|found denied segmentation|fault segfault aborted killed FAIL not|ok E|| ✗| ✘| ×|'
    .split(' ')
    .map((word) => word.replaceAll('|', ' '));

it.each(words)(
  'the search for signs finds %j wherever it stands, in small letters and in capitals',
  (word) => {
    for (const spelling of [word, word.toUpperCase()])
      for (const before of [
        '',
        'a\n',
        'ab\n',
        ' ',
        '漢字\n',
        'a 漢 b\n',
        'long line '.repeat(2_000).concat('\n'),
      ]) {
        const text = `${before}${spelling} x\nanother line\n`;
        expect(found(text)).toEqual(examined(text));
        expect(found(text)).toHaveLength(1);
      }
  },
);

it('the search for signs finds a word at every place of a block, up to its very end', () => {
  const most = 16 * 1024;
  const places = [...Array(24).keys(), ...Array.from(Array(24).keys(), (index) => most - 7 - index)];
  for (const place of places) {
    const before = 'seven x\n'.repeat(most / 8).slice(most - place);
    expect(found(`${before}killed\n`)).toEqual([expect.stringMatching(/killed\n$/)]);
  }
});

it('the search for signs finds what examining every line finds, in any text', () => {
  const piece = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom('\n', '\n\n', ' ', 'a', 'words and more ', '0 failed', 'é', '漢', '😀'),
    },
    { weight: 2, arbitrary: fc.constantFrom(...words) },
    { weight: 1, arbitrary: fc.constantFrom('x'.repeat(3_000), 'plain line\n'.repeat(2_000)) },
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join('');
      expect(found(text)).toEqual(examined(text));
    }),
    { numRuns: 60 },
  );
});

it('a line that begins with a lower-case e is none of pytest', () => {
  expect(found('e  x\nE  x\n')).toEqual(['E  x\n']);
});

it('no more lines are found than are wanted', () => {
  expect(errorLines('error one\nerror two\nerror three\n', 2)).toEqual([
    { start: 0, end: 10 },
    { start: 10, end: 20 },
  ]);
});
