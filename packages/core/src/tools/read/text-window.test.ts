import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineFeedView, type TextWindow, takeLines, windowNotice, windowOf } from './text-window.js';

const whole = { offset: 0, limit: 100, maxBytes: 1000 };
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

describe('windowOf', () => {
  it('gives the lines asked for and where to go on', () => {
    expect(windowOf(numbered(10), { ...whole, offset: 3, limit: 2 })).toEqual({
      text: 'line 4\nline 5\n',
      firstLine: 3,
      lineCount: 2,
      totalLines: 10,
      nextOffset: 5,
      clippedLines: 0,
    });
  });

  it('counts a negative offset from the end', () => {
    expect(windowOf(numbered(10), { ...whole, offset: -2 })).toMatchObject({
      text: 'line 9\nline 10\n',
      firstLine: 8,
      nextOffset: null,
    });
    expect(windowOf(numbered(10), { ...whole, offset: -99 })).toMatchObject({ firstLine: 0, lineCount: 10 });
  });

  it('keeps a last line that has no line feed', () => {
    expect(windowOf('a\nb', { ...whole, offset: 1 })).toMatchObject({
      text: 'b',
      totalLines: 2,
      nextOffset: null,
    });
  });

  it('is null past the end', () => {
    expect(windowOf(numbered(3), { ...whole, offset: 3 })).toBeNull();
    expect(windowOf('', whole)).toBeNull();
  });

  it('ends before a line that does not fit', () => {
    expect(windowOf('aaaa\nbbbb\ncccc\n', { ...whole, maxBytes: 10 })).toMatchObject({
      text: 'aaaa\nbbbb\n',
      nextOffset: 2,
    });
  });

  it('cuts only a line that is longer than a whole window', () => {
    const text = `short\n${'x'.repeat(5000)}\nend\n`;
    expect(windowOf(text, { ...whole, maxBytes: 4000 })).toMatchObject({
      text: `short\n${'x'.repeat(2000)}…\nend\n`,
      clippedLines: 1,
      nextOffset: null,
    });
  });
});

describe('successive windows', () => {
  it('put together give the whole text', () => {
    const line = fc.string({ unit: 'binary', maxLength: 30 }).map((text) => text.replaceAll('\n', ' '));
    const text = fc.array(line, { minLength: 1, maxLength: 60 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 120, max: 400 }),
        (source, limit, maxBytes) => {
          let read = '';
          let offset: number | null = 0;
          while (offset !== null && source !== '') {
            const window: TextWindow | null = windowOf(source, { offset, limit, maxBytes });
            expect(window).not.toBeNull();
            expect(Buffer.byteLength(window!.text)).toBeLessThanOrEqual(maxBytes);
            read += window!.text;
            offset = window!.nextOffset;
          }
          expect(read).toBe(source);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('the notice', () => {
  const window = (part: Partial<TextWindow>): TextWindow => ({
    text: '',
    firstLine: 0,
    lineCount: 10,
    totalLines: 10,
    nextOffset: null,
    clippedLines: 0,
    ...part,
  });

  it.each<[string, Partial<TextWindow>, string]>([
    ['nothing when all is shown', {}, ''],
    [
      'where to go on',
      { totalLines: 5123, lineCount: 2000, nextOffset: 2000 },
      '[Lines 1-2,000 of 5,123. Read on: read_file with offset 2000.]',
    ],
    ['that the beginning is missing', { firstLine: 5, lineCount: 5 }, '[Lines 6-10 of 10.]'],
    [
      'the size when lines were not counted',
      { totalLines: null, nextOffset: 10 },
      '[Lines 1-10 of a file of 2 GB. Read on: read_file with offset 10.]',
    ],
    [
      'how far from the end',
      { firstLine: null, totalLines: null, nextOffset: -90 },
      '[10 lines near the end of a file of 2 GB. Read on: read_file with offset -90.]',
    ],
    [
      'which lines were cut',
      { clippedLines: 2 },
      '[2 lines are too long and were cut at "…"; use grep_search for the rest.]',
    ],
  ])('says %s', (_name, part, expected) => {
    expect(windowNotice(window(part), 2 ** 31)).toBe(expected);
  });
});

it('a window of a text shows Windows line ends as line feeds and leaves lone carriage returns alone', () => {
  expect(lineFeedView('a\r\nb\rc\r\n')).toBe('a\nb\rc\n');
});

it('takeLines takes the lines that fit, and at least one', () => {
  expect(takeLines('abc\ndef\n', 0, { limit: 5, maxBytes: 4 })).toMatchObject({
    text: 'abc\n',
    lineCount: 1,
  });
});
