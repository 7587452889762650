import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appended, ended, keptTail, noText, safe, tailOf } from './safe-text.js';

describe('text in pieces', () => {
  it('is the same however it is cut', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '\r', '\n', '\x1b', '👍', '❤', '\ufe0f', '\u20e3', '\u202e', '\x9b'),
    });
    fc.assert(
      fc.property(text, fc.array(fc.nat(20)), (whole, cuts) => {
        let so = noText;
        let at = 0;
        for (const length of cuts) {
          so = appended(so, whole.slice(at, at + length));
          at += length;
        }
        expect(ended(appended(so, whole.slice(at)))).toBe(safe(whole));
      }),
    );
  });
});

describe('the tail of what a program prints', () => {
  it.each([
    ['a\nb\nc\n', ['b', 'c']],
    ['10%\r20%\r30%', ['30%']],
    ['10%\r20%\r\nnext', ['20%', 'next']],
    ['\x1b[32mgreen\x1b[0m\n\x1b]0;title\x07x', ['green', 'x']],
    ['\x1b', ['␛']],
    ['\x07 bell', ['␇ bell']],
    ['', []],
  ])('of %j is %j', (raw, lines) => {
    expect(tailOf(raw, 2)).toEqual(lines);
  });

  it('keeps only the end of a long output', () => {
    expect(keptTail('x'.repeat(16_000), 'y'.repeat(500))).toBe('x'.repeat(15_884) + 'y'.repeat(500));
  });
});
