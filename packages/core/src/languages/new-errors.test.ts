import type { SourceError } from '@toolwright/machine/host/language-server/protocol.js';
import { describe, expect, it } from 'vitest';
import { boundErrors, describeErrors, summarizeErrors } from './describe-errors.js';
import { newErrors, stillThere } from './new-errors.js';

const at = (line: number, message: string, code = '1'): SourceError => ({
  range: { start: { line, character: 2 }, end: { line, character: 3 } },
  message,
  code,
});

describe('the errors that a change brings', () => {
  const before = { text: 'a\nb\nc', errors: [at(1, 'wrong b'), at(2, 'wrong')] };

  it.each<[string, string, SourceError[], SourceError[]]>([
    ['none where nothing changed', 'a\nb\nc', before.errors, []],
    ['none where the same errors moved down', 'new\na\nb\nc', [at(2, 'wrong b'), at(3, 'wrong')], []],
    [
      'none where the line of an error was changed and the error stayed',
      'a\nb!\nc',
      [at(1, 'wrong b'), at(2, 'wrong')],
      [],
    ],
    ['one with another message', 'a\nb\nc', [...before.errors, at(0, 'new')], [at(0, 'new')]],
    ['the same message a second time', 'a\nb\nc\nd', [...before.errors, at(3, 'wrong')], [at(3, 'wrong')]],
    ['one in the place of another', 'a\nx\nc', [at(1, 'wrong x'), at(2, 'wrong')], [at(1, 'wrong x')]],
    [
      'the same message with another code',
      'a\nb\nc',
      [at(1, 'wrong b', '2'), at(2, 'wrong')],
      [at(1, 'wrong b', '2')],
    ],
  ])('are %s', (_name, text, errors, expected) => {
    expect(newErrors(before, { text, errors })).toEqual(expected);
  });
});

it('errors that were not told yet are told where they stand now, unless they are gone', () => {
  expect(stillThere([at(1, 'one'), at(2, 'two')], [at(5, 'two'), at(6, 'three')])).toEqual([at(5, 'two')]);
});

describe('the words about new errors', () => {
  const words = { show: (path: string) => path.slice(1), server: 'checker 1.0', isLate: false };
  const described = (files: Parameters<typeof boundErrors>[0]) => describeErrors(boundErrors(files, words)!);

  it('are one line for the user, with the first places', () => {
    const errors = [at(4, 'later'), at(0, 'first\n  and why'), at(5, 'last')];
    const found = boundErrors(
      [
        { path: '/a.ts', errors },
        { path: '/b.ts', errors: [at(1, 'x')] },
      ],
      words,
    )!;
    expect(summarizeErrors([found])).toBe(
      '4 new errors: a.ts:1 first and why; a.ts:5 later; a.ts:6 last; and 1 more',
    );
    expect(summarizeErrors([{ ...found, total: 1, errors: found.errors.slice(0, 1), isLate: true }])).toBe(
      '1 new error after earlier changes: a.ts:1 first and why',
    );
  });

  it('name place, message and code, with the lines in order and on one line each', () => {
    const errors = [at(4, 'later'), at(0, 'first\n  and why')];
    expect(described([{ path: '/a.ts', errors }])).toBe(
      '2 new errors after this change, says checker 1.0:\na.ts:1:3: first and why (1)\na.ts:5:3: later (1)',
    );
  });

  it('are bounded by file and in all, and say how many are left out', () => {
    const files = Array.from({ length: 4 }, (_, file) => ({
      path: `/${file}.ts`,
      errors: Array.from({ length: 8 }, (_each, line) => at(line, `${'long '.repeat(200)}${line}`)),
    }));
    const text = described(files) ?? '';
    const lines = text.split('\n');
    expect(lines).toHaveLength(12);
    expect(lines.at(-1)).toBe('and 22 more in 4 files.');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(340);
  });

  it('hide nothing that a file could smuggle to a reader', () => {
    const text = described([{ path: '/a\u202e.ts', errors: [at(0, 'x\u001b[2Jy')] }]);
    expect(text).not.toMatch(/[\u001b\u202e]/);
  });

  it('are none where there is nothing new', () => {
    expect(boundErrors([{ path: '/a.ts', errors: [] }], words)).toBeNull();
  });
});
