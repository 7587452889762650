import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLiveText, createWithoutEscapes, plainOutput } from './plain-output.js';

describe('plain output', () => {
  it.each([
    ['text without anything stays', 'a\tb\nc\n', 'a\tb\nc\n'],
    ['colours go', '\x1b[1;31merror\x1b[0m: no\n', 'error: no\n'],
    ['moving the cursor goes', 'a\x1b[2K\x1b[1Gb\x1b[?25h', 'ab'],
    ['a title closed by a bell goes', '\x1b]0;title\x07text', 'text'],
    ['a link closed by a string terminator goes', '\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\', 'link'],
    ['device control strings go', '\x1bPq#0\x1b\\x', 'x'],
    ['eight-bit sequences go', '\u009b31mred\u009d0;t\u009c', 'red'],
    ['character sets and resets go', '\x1b(Ba\x1bc\x1b=b', 'ab'],
    ['a progress bar is shown as it ended', '10 %\r50 %\r100 %\ndone\n', '100 %\ndone\n'],
    ['a line wiped at the end shows what stood there', '50 %\r100 %\r     \r\nnext', '100 %\nnext'],
    ['line ends of Windows are line ends', 'a\r\nb\r\r\nc', 'a\nb\nc'],
    ['backspaces take back', 'abc\b\bX', 'aX'],
    ['bold by overprinting is plain', 'N\bNA\bA', 'NA'],
    ['bells and NULs go', 'a\x07b\0c', 'abc'],
    ['form feeds end a line', 'a\fb', 'a\nb'],
  ])('%s', (_, printed, plain) => {
    expect(plainOutput(printed)).toBe(plain);
  });

  it.each([
    ['a title', '\x1b]0;', '␛]0;'],
    ['a link', '\x1b]8;;https://a.example', '␛]8;;https://a.example'],
    ['a device control string', '\x1bPq', '␛Pq'],
    ['an application program command', '\x1b_G', '␛_G'],
    ['a privacy message', '\x1b^', '␛^'],
    ['a start of string', '\x1bX', '␛X'],
    ['an eight-bit title', '\u009d0;', '<U+009D>0;'],
    ['an eight-bit device control string', '\u0090', '<U+0090>'],
  ])('%s that is never closed is shown, and so is everything behind it', (_, opened, shown) => {
    expect(plainOutput(`a\n${opened}b\nc\n`)).toBe(`a\n${shown}b\nc\n`);
    expect(plainOutput(`${opened}the end`)).toBe(`${shown}the end`);
    expect(plainOutput(`${opened}b\x1b[31mred\x1b[0m`)).toBe(`${shown}bred`);
    const long = 'x'.repeat(200_000);
    expect(plainOutput(`${opened}${long}the end`)).toBe(`${shown}${long}the end`);
  });

  it.each([
    ['a control sequence', 'a\x1b[31\nb', 'a\nb'],
    ['an escape', 'a\x1b\nb', 'a\nb'],
    ['an escape before another one', 'a\x1b\x1b[31mb', 'ab'],
    ['a control sequence at the end', 'a\x1b[31', 'a'],
  ])('%s that is broken off takes no line break with it', (_, printed, plain) => {
    expect(plainOutput(printed)).toBe(plain);
  });

  it('a control sequence without an end does not swallow what follows', () => {
    expect(plainOutput(`\x1b[${'1'.repeat(1_000)} and the end`)).toMatch(/and the end$/);
  });

  it('is the same however the text is cut', () => {
    const piece = fc.constantFrom(
      '\x1b[31m',
      '\x1b]0;t\x07',
      '\x1b]8;;u\x1b\\',
      'text',
      '\n',
      '\x1b',
      '[',
      '\u009b0m',
      'é😀',
      '\x1bP1',
      '\x1b_x',
      '\x07',
    );
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat(200)), (pieces, cuts) => {
        const whole = pieces.join('');
        const filter = createWithoutEscapes();
        const borders = [
          0,
          ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b),
          whole.length,
        ];
        const parts = borders.slice(1).map((end, index) => filter.write(whole.slice(borders[index], end)));
        const uncut = createWithoutEscapes();
        expect(parts.join('') + filter.end()).toBe(uncut.write(whole) + uncut.end());
      }),
      { numRuns: 300 },
    );
  });
});

describe('live text', () => {
  it('shows every drawing of a line on its own line, over chunk borders', () => {
    const live = createLiveText();
    const shown = ['10 %\r', '50 %\r', '\n', 'a\r\nb', '\r', 'c'].map((chunk) => live.write(chunk));
    expect(shown.join('')).toBe('10 %\n50 %\na\nb\nc');
  });

  it('shows a title that is never closed as soon as its line ends, or nothing follows', () => {
    const live = createLiveText();
    expect(live.write('\x1b]0;ti')).toBe('');
    expect(live.write('tle\nnext')).toBe('␛]0;title\nnext');
    expect(live.write('\x1b_more')).toBe('');
    expect(live.end()).toBe('␛_more');
  });
});
