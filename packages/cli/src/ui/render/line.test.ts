import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clipped, expandTabs, line, paint, type StyledLine, textOfLine, widthOf, wrap } from './line.js';

const texts = (lines: readonly StyledLine[]): string[] => lines.map(textOfLine);

describe('wrapping prose', () => {
  it.each<[string, number, string[]]>([
    ['short', 10, ['short']],
    ['one two three', 7, ['one two', 'three']],
    ['one  two', 4, ['one', 'two']],
    ['unbreakable', 4, ['unbr', 'eaka', 'ble']],
    ['日本語の文章', 5, ['日本', '語の', '文章']],
    ['ok 👍👍 go', 5, ['ok', '👍👍', 'go']],
    ['  indented text here', 10, ['  indented', 'text here']],
    ['a\tb', 10, ['a   b']],
    ['e\u0301e\u0301e\u0301', 2, ['éé', 'é']],
    ['', 5, ['']],
  ])('breaks %j at %i columns', (text, width, expected) => {
    expect(texts(wrap(line(text), width))).toEqual(expected);
  });

  it('keeps the styles on both sides of a break', () => {
    const bold = { bold: true };
    const wrapped = wrap([{ text: 'one ' }, { text: 'two three', style: bold }], 8);
    expect(wrapped).toEqual([
      [{ text: 'one ' }, { text: 'two', style: bold }],
      [{ text: 'three', style: bold }],
    ]);
  });
});

describe('wrapping what is preformatted', () => {
  it.each<[string, number, string[]]>([
    ['  a b c d', 4, ['  a ', 'b c ', 'd']],
    ['x = 日本', 6, ['x = 日', '本']],
  ])('breaks %j at %i columns', (text, width, expected) => {
    expect(texts(wrap(line(text), width, { preformatted: true }))).toEqual(expected);
  });
});

describe('wrapping code', () => {
  it.each<[string, number, string[]]>([
    ['  hello(loud = false) {', 20, ['  hello(loud = ', 'false) {']],
    ["['Hello', name].join(', ') + 1", 20, ["['Hello', name].", "join(', ') + 1"]],
    ['    "text": "one two"', 16, ['    "text": ', '"one two"']],
    ['  tool.toolDiscoveryCommand', 16, ['  tool.toolDisco', 'veryCommand']],
    ['aaaa bbbbbbbbbbbbbbbbb', 12, ['aaaa bbbbbbb', 'bbbbbbbbbb']],
    ['x = 日本', 6, ['x = ', '日本']],
  ])('breaks %j at %i columns between words or behind a sign', (text, width, expected) => {
    expect(texts(wrap(line(text), width, { code: true }))).toEqual(expected);
  });

  it('breaks a very long line anywhere', () => {
    const rows = texts(wrap(line('word '.repeat(10_000)), 12, { code: true }));
    expect(rows[0]).toBe('word word wo');
    expect(rows.join('')).toBe('word '.repeat(10_000));
  });
});

const anything = fc.string({
  unit: fc.constantFrom(
    'a',
    'b',
    ' ',
    '  ',
    '日',
    '👍',
    '👍🏽',
    'e\u0301',
    '\u0301',
    '\t',
    'word',
    '-',
    '<U+202E>',
  ),
});

describe('whatever the text', () => {
  it('every line fits, and preformatted text comes back whole', () => {
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 4 }), fc.integer({ min: 9, max: 40 }), (parts, width) => {
        const spans = parts.map((text, index) => ({ text, style: { bold: index % 2 === 0 } }));
        const preformatted = wrap(spans, width, { preformatted: true });
        const code = wrap(spans, width, { code: true });
        for (const one of [...wrap(spans, width), ...preformatted, ...code])
          expect(widthOf(textOfLine(one))).toBeLessThanOrEqual(width);
        const whole = spans.map(({ text }) => expandTabs(text).normalize()).join('');
        expect(texts(preformatted).join('').normalize()).toBe(whole.normalize());
        expect(texts(code).join('').normalize()).toBe(whole.normalize());
        const words = (text: string): string => text.replace(/\s+/g, '');
        expect(words(texts(wrap(spans, width)).join('')).normalize()).toBe(words(whole).normalize());
      }),
      { numRuns: 300 },
    );
  });
});

describe('painting', () => {
  it('adds styles where there are colours and none where there are not', () => {
    const spans: StyledLine = [
      { text: 'a', style: { bold: true, color: 'red' } },
      { text: 'b' },
      { text: '', style: { dim: true } },
    ];
    expect(paint(spans, { color: true })).toBe('\x1b[1;31ma\x1b[0mb');
    expect(paint(spans, { color: false })).toBe('ab');
  });

  it('lets nothing through that could move the cursor', () => {
    expect(paint(line('a\nb\rc\x1b[2J\td'), { color: false })).toBe('a b␍c␛[2J   d');
  });
});

it('a line that is cut ends with a mark', () => {
  const appearance = { unicode: true };
  expect(textOfLine(clipped(line('abcdef'), 6, appearance))).toBe('abcdef');
  expect(textOfLine(clipped(line('abcdefg'), 6, appearance))).toBe('abcde…');
  expect(textOfLine(clipped(line('日本語文'), 6, { unicode: false }))).toBe('日...');
});
