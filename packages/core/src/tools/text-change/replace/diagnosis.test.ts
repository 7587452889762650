import { describe, expect, test } from 'vitest';
import { describeNearMiss, diagnose, nearestTo } from './diagnosis.js';

const file = [
  'import { a } from "a";',
  '',
  'export function total(prices: number[]) {',
  '  let sum = 0;',
  '  for (const price of prices) sum += price;',
  '  return sum;',
  '}',
  '',
].join('\n');

describe('diagnose', () => {
  const cases: [name: string, oldText: string, newText: string, expected: unknown][] = [
    [
      'already applied, between what both texts share',
      '  let total = 0;',
      '  let sum = 0;',
      { kind: 'applied', line: 4 },
    ],
    [
      'a deletion already applied',
      '  let sum = 0;\n  let x = 1;\n  for (const price of prices) sum += price;',
      '  let sum = 0;\n  for (const price of prices) sum += price;',
      { kind: 'applied', line: 4 },
    ],
    ['a bracket found says nothing', 'nothing like this at all {', '}', { kind: 'absent' }],
    ['a short rest found says nothing', 'sum of all the numbers we have', 'sum', { kind: 'absent' }],
    ['nowhere', 'completely unrelated words here', 'y', { kind: 'absent' }],
    [
      'new text without anything that it shares with the old one proves no place',
      'completely unrelated words here',
      'let sum = 0;',
      { kind: 'absent', standsAt: 4 },
    ],
  ];
  test.each(cases)('says why nothing was found: %s', async (_name, oldText, newText, expected) => {
    expect(await diagnose({ text: file, oldText, newText })).toEqual(expected);
  });

  const typos: [name: string, oldText: string, newText: string][] = [
    [
      'a deletion whose rest stands behind it',
      '  let summ = 0;\n  for (const price of prices) sum += price;',
      '  for (const price of prices) sum += price;',
    ],
    [
      'a deletion whose rest stands before it',
      '  for (const price of prices) sum += price;\n  return summ;',
      '  for (const price of prices) sum += price;',
    ],
    [
      'a deletion between lines that are there twice',
      '  return sum;\n}\n\nexport function other() {\n  return 1;\n}\n',
      '  return sum;\n}\n',
    ],
    ['a replacement by a text that stands elsewhere', '  return sums;', '  let sum = 0;'],
    ['a change of nothing but blanks', '  let sums = 0;', '\tlet sum = 0;'],
  ];
  test.each(typos)('a misspelt old text is not taken for applied: %s', async (_name, oldText, newText) => {
    expect((await diagnose({ text: file, oldText, newText })).kind).toBe('near');
  });

  test('what was seen before and is gone is stale', async () => {
    const seenText = file.replace('sum += price', 'sum += price * 2');
    expect(await diagnose({ text: file, oldText: 'sum += price * 2', newText: 'x', seenText })).toEqual({
      kind: 'stale',
      line: 5,
    });
  });

  test('what was seen before and has been changed as wanted since is applied', async () => {
    const seenText = file.replace('sum += price', 'add()').replace('import', 'require');
    expect(await diagnose({ text: file, oldText: 'add()', newText: 'sum += price', seenText })).toEqual({
      kind: 'applied',
      line: 5,
    });
    const longer = file.replace('}', '  gone();\n}');
    expect(await diagnose({ text: file, oldText: '  gone();\n', newText: '', seenText: longer })).toEqual({
      kind: 'applied',
    });
  });

  test('an edit that was made before is applied while its new text stands', async () => {
    const input = { text: file, oldText: 'something', madeBefore: true };
    expect(await diagnose({ ...input, newText: 'let sum' })).toEqual({ kind: 'applied', line: 4 });
    expect(await diagnose({ ...input, newText: '' })).toEqual({ kind: 'applied' });
    expect(await diagnose({ ...input, newText: 'gone by now' })).toEqual({ kind: 'absent' });
  });

  test('new text that stands at several places does not count as applied', async () => {
    expect(await diagnose({ text: 'abc\nabc\n', oldText: 'xyz', newText: 'abc' })).toEqual({
      kind: 'absent',
    });
  });
});

function nearMiss(text: string, wanted: string): string {
  const miss = nearestTo(text, wanted);
  return miss ? describeNearMiss(miss, text) : 'none';
}

describe('the nearest place', () => {
  test('is shown with the first character that differs', () => {
    expect(nearMiss(file, '  let sum = 0;\n  for (const price of price) sum += price;\n  return sum;')).toBe(
      [
        'The first difference is at line 5, column 28: expected ")", found "s".',
        'expected: "  for (const price of price) sum += price;"',
        'found:    "  for (const price of prices) sum += price;"',
        'Lines 4-6 of the file:',
        '  let sum = 0;',
        '  for (const price of prices) sum += price;',
        '  return sum;',
      ].join('\n'),
    );
  });

  test('of one misspelt line is found by its likeness', () => {
    expect(nearMiss(file, 'export function totals(price: number[]) {')).toBe(
      [
        'The first difference is at line 3, column 22: expected "s", found "(".',
        'expected: "export function totals(price: number[]) {"',
        'found:    "export function total(prices: number[]) {"',
        'Line 3 of the file:',
        'export function total(prices: number[]) {',
      ].join('\n'),
    );
  });

  test('spells out what can not be seen', () => {
    expect(nearMiss('a\n\tkey\u00A0=  "v"\n', 'a\n\tkey = "v"').split('\n').slice(0, 3)).toEqual([
      'The first difference is at line 2, column 5: expected a space, found a no-break space (U+00A0).',
      'expected: "\\tkey = \\"v\\""',
      'found:    "\\tkey\\u00a0=  \\"v\\""',
    ]);
  });

  test('with drifted indentation is named, not taken', () => {
    expect(
      nearMiss('class A {\n    run() {\n        go();\n    }\n}\n', 'run() {\n    go();\n}').split('\n')[0],
    ).toBe('The first difference is at line 3, column 5: expected "g", found a space.');
  });

  test('at the end of the file says that the file ends', () => {
    expect(nearMiss('alpha\nbeta\n', 'alpha\nbeta\ngamma')).toBe(
      [
        'Line 3 is past the end of the file; expected: "gamma"',
        'Lines 1-2 of the file:',
        'alpha',
        'beta',
      ].join('\n'),
    );
  });

  test('of a text that would begin before the file is compared from the first line on', () => {
    expect(nearMiss('alpha\nbeta\n', 'first\nalpha\nbeta').split('\n')[0]).toBe(
      'The first difference is at line 1, column 1: expected "f", found "a".',
    );
    expect(nearMiss('one\rtwo\rthree\nfour four\n', 'one\nzwei\nthree\nfour four').split('\n')[0]).toBe(
      'The first difference is at line 1, column 4: expected the end of the line, found a carriage return.',
    );
  });

  test('in a file of lone carriage returns is shown by its lines', () => {
    expect(nearMiss('one\rtwo\rthree\r', 'one\ntoo\nthree')).toBe(
      [
        'The first difference is at line 2, column 2: expected "o", found "w".',
        'expected: "too"',
        'found:    "two"',
        'Lines 1-3 of the file:',
        'one',
        'two',
        'three',
      ].join('\n'),
    );
  });

  test('of a long text is cut', () => {
    const text = Array.from({ length: 40 }, (_, index) => `line number ${index}\n`).join('');
    expect(nearMiss(text, text.replace('number 7', 'numero 7')).split('\n').at(-1)).toBe('… 28 more lines');
  });

  test('in a long line is cut to its neighbourhood', () => {
    const line = `${'word '.repeat(200)}end`;
    const found = nearMiss(`first line\n${line}\n`, `first line\n${line.replace('end', 'and')}`).split('\n');
    expect(found[0]).toBe('The first difference is at line 2, column 1001: expected "a", found "e".');
    expect(found[1]).toMatch(/^expected: …"(.*)and"$/);
    expect(found[1]!.length).toBeLessThan(200);
  });

  test('is none when nothing is alike', () => {
    expect(nearMiss(file, 'SELECT 1')).toBe('none');
    expect(nearMiss('', 'x')).toBe('none');
  });
});

test('the diagnosis finds the place of a very long text, too, and its first difference', async () => {
  const line = (index: number) =>
    `const value${index * 7919} = compute(${index % 13}, 'part ${index % 101}');`;
  const lines = Array.from({ length: 60_000 }, (_, index) => line(index));
  const wanted = `${lines.slice(10_000, 50_000).join('\n').replace(line(45_000), 'something else')}\n`;
  const found = await diagnose({ text: `${lines.join('\n')}\n`, oldText: wanted, newText: 'x' });
  expect(found).toMatchObject({
    kind: 'near',
    miss: { firstLine: 10_001, line: 45_001, expected: 'something else' },
  });
});

test('the diagnosis is not held up by a line that is there again and again', async () => {
  const text = 'the same line\n'.repeat(200_000);
  const oldText = `${'the same line\n'.repeat(100_000)}another\n`;
  expect((await diagnose({ text, oldText, newText: 'x' })).kind).toBe('near');
});
