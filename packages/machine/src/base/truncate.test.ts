import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  boundedNotice,
  clipBytes,
  clipBytesFromEnd,
  countLines,
  head,
  headAndTail,
  tail,
} from './truncate.js';

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

describe('head and tail', () => {
  it('leave text alone that fits', () => {
    for (const cut of [head, tail, headAndTail]) {
      expect(cut('a\nb\n', { maxBytes: 4, maxLines: 2 })).toEqual({
        text: 'a\nb\n',
        truncated: false,
        totalLines: 2,
        totalBytes: 4,
        shown: '2 lines',
      });
    }
  });

  it('cut at line borders', () => {
    expect(head(numbered(9), { maxBytes: 1000, maxLines: 2 }).text).toBe('line 1\nline 2\n');
    expect(head(numbered(9), { maxBytes: 20, maxLines: 99 }).text).toBe('line 1\nline 2\n');
    expect(tail(numbered(9), { maxBytes: 1000, maxLines: 2 }).text).toBe('line 8\nline 9\n');
    expect(tail(numbered(9), { maxBytes: 20, maxLines: 99 }).text).toBe('line 8\nline 9\n');
  });

  it('cut inside a line only when whole lines would leave most of the room empty', () => {
    const text = `a\n${'x'.repeat(100)}\nb`;
    expect(head(text, { maxBytes: 50, maxLines: 9 }).text).toBe(`a\n${'x'.repeat(48)}`);
    expect(tail(text, { maxBytes: 50, maxLines: 9 }).text).toBe(`${'x'.repeat(48)}\nb`);
  });

  it('say which part is shown', () => {
    expect(head(numbered(9), { maxBytes: 1000, maxLines: 1 }).shown).toBe('the first 1 line');
    expect(tail(numbered(9), { maxBytes: 1000, maxLines: 3 }).shown).toBe('the last 3 lines');
  });
});

describe('headAndTail', () => {
  it('keeps both ends and counts what lies between', () => {
    const bounded = headAndTail(numbered(1000), { maxBytes: 10_000, maxLines: 11 });
    expect(bounded.text).toBe(
      `line 1\nline 2\nline 3\nline 4\n… 990 lines (8.6 kB) not shown …\n${'995 996 997 998 999 1000'
        .split(' ')
        .map((n) => `line ${n}\n`)
        .join('')}`,
    );
    expect(bounded).toMatchObject({
      truncated: true,
      totalLines: 1000,
      shown: 'the first 4 lines and the last 6 lines',
    });
  });

  it('keeps error lines of the middle, each at its place', () => {
    const lines = numbered(1000).split('\n');
    lines[399] = 'src/a.ts(3,1): error TS2304: no such name';
    lines[400] = 'TypeError: x is not a function';
    lines[699] = '3 passed, 0 failed, 0 errors';
    lines[799] = 'make: *** [all] Error 2';
    const bounded = headAndTail(
      lines.join('\n'),
      { maxBytes: 10_000, maxLines: 60 },
      { keepErrors: true, headShare: 0.5 },
    );
    const middle = bounded.text.split('\n').filter((line) => !line.startsWith('line '));
    expect(middle).toEqual([
      expect.stringMatching(/^… \d+ lines .* not shown …$/),
      'src/a.ts(3,1): error TS2304: no such name',
      'TypeError: x is not a function',
      expect.stringMatching(/^… 398 lines .* not shown …$/),
      'make: *** [all] Error 2',
      expect.stringMatching(/^… \d+ lines .* not shown …$/),
      '',
    ]);
    expect(bounded.shown).toMatch(/, and 3 lines between that look like errors$/);
  });

  it.each([
    'ERROR in src/a.ts',
    'Fatal: no such branch',
    'thread main panicked at src/main.rs',
    'Unhandled EXCEPTION',
    'Traceback (most recent call last):',
    'FAILED tests/test_a.py',
    'undefined Reference to main',
    'Cannot Find module a',
    '404 Not Found',
    'permission denied',
    'Segmentation fault',
    'segfault at 0',
    'Aborted (core dumped)',
    'Killed',
    'not ok 3 - adds numbers',
    'E   assert 1 == 2',
    '✗ adds numbers',
    '✘ adds numbers',
    '× adds numbers',
  ])('takes %j for an error, alone and before another', (line) => {
    for (const more of ['', 'Error: the second\n']) {
      const text = `${numbered(500)}${line}\n${numbered(20)}${more}${numbered(500)}`;
      const { text: cut } = headAndTail(text, { maxBytes: 10_000, maxLines: 60 }, { keepErrors: true });
      expect(cut).toContain(`not shown …\n${line}\n… `);
      expect(cut.includes('the second')).toBe(more !== '');
    }
  });

  it('gives the same of a text whose size it is told', () => {
    for (const end of ['', 'no line break']) {
      const text = numbered(1000) + end;
      const bounds = { maxBytes: 4000, maxLines: 60 };
      const counted = headAndTail(text, bounds);
      expect(headAndTail(text, bounds, { whole: counted })).toEqual(counted);
      expect(counted).toMatchObject({ totalLines: countLines(text), totalBytes: Buffer.byteLength(text) });
    }
  });

  it('cuts one endless line in the middle', () => {
    const bounded = headAndTail('x'.repeat(5000), { maxBytes: 1072, maxLines: 10 });
    expect(bounded.text).toBe(`${'x'.repeat(400)}\n… 1 line (3.9 kB) not shown …\n${'x'.repeat(600)}`);
  });
});

describe('the notice', () => {
  it('says how to go on when the whole was kept', () => {
    const bounded = tail(numbered(1500), { maxBytes: 100_000, maxLines: 200 });
    expect(boundedNotice(bounded, '/state/output/7.txt')).toBe(
      '[Output cut: the last 200 lines of 1,500 lines (13.6 kB) shown. The rest is in /state/output/7.txt: read it with read_file (offset, limit) or search it with grep_search.]',
    );
    expect(boundedNotice(bounded)).toContain('The rest was not kept');
  });

  it('is empty when nothing was cut', () => {
    expect(boundedNotice(head('a', { maxBytes: 9, maxLines: 9 }), '/x')).toBe('');
  });
});

describe('clipping', () => {
  it('never cuts inside a character', () => {
    expect(clipBytes('aé😀b', 6)).toBe('aé');
    expect(clipBytes('aé😀b', 7)).toBe('aé😀');
    expect(clipBytesFromEnd('aé😀b', 4)).toBe('b');
    expect(clipBytesFromEnd('aé😀b', 5)).toBe('😀b');
  });
});

describe('countLines', () => {
  it('counts a last line without a newline', () => {
    expect(['', 'a', 'a\n', 'a\nb', '\n\n'].map(countLines)).toEqual([0, 1, 1, 2, 2]);
  });
});

describe('every cut', () => {
  const unit = fc.constantFrom('a', 'é', '漢', '😀', '\n', '\n', 'error ', '\ud800', ' words and more ');
  const anyText = fc.array(unit, { maxLength: 400 }).map((units) => units.join(''));
  const anyBounds = fc.record({
    maxBytes: fc.integer({ min: 0, max: 1500 }),
    maxLines: fc.integer({ min: 0, max: 60 }),
  });
  const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
  const count = (text: string) => text.match(loneSurrogate)?.length ?? 0;

  it('stays within its bounds and splits no character', () => {
    fc.assert(
      fc.property(anyText, anyBounds, fc.boolean(), (text, bounds, keepErrors) => {
        const cuts = [head(text, bounds), tail(text, bounds), headAndTail(text, bounds, { keepErrors })];
        for (const cut of cuts) {
          expect(Buffer.byteLength(cut.text)).toBeLessThanOrEqual(bounds.maxBytes);
          expect(countLines(cut.text)).toBeLessThanOrEqual(bounds.maxLines);
          expect(count(cut.text)).toBeLessThanOrEqual(count(text));
          if (!cut.truncated) expect(cut.text).toBe(text);
        }
        expect(text.startsWith(cuts[0]!.text)).toBe(true);
        expect(text.endsWith(cuts[1]!.text)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('accounts for every line it leaves out', () => {
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 3000 }), fc.integer({ min: 4, max: 50 }), (lines, maxLines) => {
        const { text } = headAndTail(numbered(lines), { maxBytes: 4000, maxLines });
        const omitted = /^… ([\d,]+) lines? /m.exec(text)?.[1]?.replaceAll(',', '');
        const shown = text.match(/^line /gm)?.length ?? 0;
        expect(shown + Number(omitted ?? 0)).toBe(lines);
      }),
      { numRuns: 200 },
    );
  });
});
