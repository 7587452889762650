import type { DisplayData } from '@toolwright/core';
import { describe, expect, it } from 'vitest';
import { safeDisplay } from '../../app/safe-display.js';
import { renderDisplay } from './display.js';
import { type Appearance, paint, textOfLine, widthOf } from './line.js';

const plain: Appearance = { color: false, unicode: true, linear: false };

function lines(display: DisplayData, width = 40, { most = 40, appearance = plain } = {}): string[] {
  return renderDisplay(safeDisplay(display), { width, lines: most, appearance }).map(textOfLine);
}

const sizes: DisplayData = {
  kind: 'table',
  title: 'Sizes',
  columns: ['name', 'bytes', 'kept'],
  rows: [
    ['日本.txt', 12, true],
    ['b', 4096, null],
  ],
};

describe('a table', () => {
  it('stands in columns, numbers to the right', () => {
    expect(lines(sizes)).toEqual([
      'Sizes',
      'name     │ bytes │ kept',
      '─────────┼───────┼─────',
      '日本.txt │    12 │ true',
      'b        │  4096 │ ',
    ]);
  });

  it('is made of ASCII where a terminal shows nothing else', () => {
    expect(lines(sizes, 40, { appearance: { ...plain, unicode: false } }).slice(1, 3)).toEqual([
      'name     | bytes | kept',
      '---------+-------+-----',
    ]);
  });

  it('is written row by row in a narrow place and for linear reading', () => {
    const rows = ['bytes: 12', 'kept: true', '', 'name: b', 'bytes: 4096', 'kept: '];
    const linear = { appearance: { ...plain, linear: true } };
    expect(lines(sizes, 40, linear)).toEqual(['Sizes', 'name: 日本.txt', ...rows]);
    expect(lines(sizes, 14)).toEqual(['Sizes', 'name: 日本.txt', ...rows]);
  });

  it('breaks long cells in their column', () => {
    const display = {
      kind: 'table' as const,
      columns: ['a', 'what'],
      rows: [['x', 'some words that are long']],
    };
    expect(lines(display, 16)).toEqual([
      'a │ what',
      '──┼─────────────',
      'x │ some words',
      '  │ that are',
      '  │ long',
    ]);
  });

  it('shows whole rows as far as there is room, and counts the rest with those that were never sent', () => {
    const rows = Array.from({ length: 100 }, (_, index) => [index]);
    expect(lines({ kind: 'table', columns: ['n'], rows, more: 900 }, 20, { most: 5 })).toEqual([
      'n',
      '─',
      '0',
      '1',
      '2',
      '… 997 more rows',
    ]);
  });

  it('of one row that is higher than the room shows the beginning of it', () => {
    const display = { kind: 'table' as const, columns: ['a'], rows: [['x '.repeat(100)], ['y']] };
    expect(lines(display, 10, { most: 5 }).slice(-2)).toEqual(['… 15 more lines', '… 1 more row']);
  });
});

it('fields stand in two columns, and as name: value for linear reading', () => {
  const fields: DisplayData = {
    kind: 'fields',
    title: 'Host',
    fields: [
      ['address', 'a.example, which is rather far away'],
      ['port', 22],
    ],
    more: 1,
  };
  expect(lines(fields, 30)).toEqual([
    'Host',
    'address  a.example, which is',
    '         rather far away',
    'port     22',
    '… 1 more field',
  ]);
  expect(lines(fields, 60, { appearance: { ...plain, linear: true } })).toEqual([
    'Host',
    'address: a.example, which is rather far away',
    'port: 22',
    '… 1 more field',
  ]);
});

it('Markdown is drawn, and cut where it is long', () => {
  expect(lines({ kind: 'markdown', text: '**a**\n\n- b' })).toEqual(['a', '', '• b']);
  expect(lines({ kind: 'markdown', text: 'x\n\n'.repeat(9) }, 20, { most: 3 })).toEqual([
    'x',
    '',
    'x',
    '… 14 more lines',
  ]);
});

const hostile = '\x1b[2J\x1b]0;title\x07\u202e\r\n| rm -rf / |\n\u200b';

it.each<[string, DisplayData]>([
  ['Markdown', { kind: 'markdown', text: `${hostile}&#27;[2J` }],
  ['a table', { kind: 'table', title: hostile, columns: [hostile, hostile], rows: [[hostile, 1]] }],
  ['fields', { kind: 'fields', title: hostile, fields: [[hostile, hostile]] }],
])('%s sends a terminal nothing that it obeys, and stays within any width', (_what, display) => {
  for (const width of [20, 33, 80]) {
    const drawn = renderDisplay(safeDisplay(display), { width, lines: 40, appearance: plain });
    for (const spans of drawn) {
      expect(paint(spans, { color: false })).not.toMatch(/[\0-\x1f\x7f-\x9f\u202e\u200b]/);
      expect(widthOf(textOfLine(spans))).toBeLessThanOrEqual(width);
    }
  }
});
