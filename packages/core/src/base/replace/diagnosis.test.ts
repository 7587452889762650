import { describe, expect, test } from 'vitest';
import { describeNearMiss, diagnose } from './diagnosis.js';
import { nearestTo } from './nearest.js';

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
    ['already applied', '  let total = 0;', '  let sum = 0;', { kind: 'applied', line: 4 }],
    [
      'already applied, in other indentation',
      '\tlet total = 0;',
      '\tlet sum = 0;\n\tfor (const price of prices) sum += price;',
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
  ];
  test.each(cases)('%s', (_name, oldText, newText, expected) => {
    expect(diagnose({ text: file, oldText, newText })).toEqual(expected);
  });

  test('what was seen before and is gone is stale', () => {
    const seenText = file.replace('sum += price', 'sum += price * 2');
    expect(diagnose({ text: file, oldText: 'sum += price * 2', newText: 'x', seenText })).toEqual({
      kind: 'stale',
      line: 5,
    });
  });

  test('new text that stands at several places does not count as applied', () => {
    expect(diagnose({ text: 'abc\nabc\n', oldText: 'xyz', newText: 'abc' })).toEqual({ kind: 'absent' });
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

test('finds the place of a very long text, too, and its first difference', () => {
  const line = (index: number) =>
    `const value${index * 7919} = compute(${index % 13}, 'part ${index % 101}');`;
  const lines = Array.from({ length: 60_000 }, (_, index) => line(index));
  const wanted = `${lines.slice(10_000, 50_000).join('\n').replace(line(45_000), 'something else')}\n`;
  const found = diagnose({ text: `${lines.join('\n')}\n`, oldText: wanted, newText: 'x' });
  expect(found).toMatchObject({
    kind: 'near',
    miss: { firstLine: 10_001, line: 45_001, expected: 'something else' },
  });
});

test('is not held up by a line that is there again and again', () => {
  const text = 'the same line\n'.repeat(200_000);
  const oldText = `${'the same line\n'.repeat(100_000)}another\n`;
  expect(diagnose({ text, oldText, newText: 'x' }).kind).toBe('near');
});
