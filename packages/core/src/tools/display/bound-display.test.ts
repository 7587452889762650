import { expect, it } from 'vitest';
import { boundDisplay } from './bound-display.js';
import type { Display, FieldsDisplay, TableDisplay } from './display.js';

const row = ['x'.repeat(100), 1, null];

it.each<[string, Display]>([
  ['a text', 'short'],
  ['Markdown', { kind: 'markdown', text: '**x**' }],
  ['a table', { kind: 'table', title: 't', columns: ['a', 'b', 'c'], rows: [row], more: 2 }],
  ['fields', { kind: 'fields', fields: [['a', 1]] }],
])('%s that is short enough stays as it is', (_what, display) => {
  expect(boundDisplay(display)).toEqual(display);
});

it('a long table keeps its first rows and counts the others', () => {
  const rows = Array.from({ length: 10_000 }, (_, index) => [index, ...row.slice(1)]);
  const bounded = boundDisplay({ kind: 'table', columns: ['a', 'b', 'c'], rows, more: 5 }) as TableDisplay;
  expect(bounded.rows.length).toBeGreaterThan(1_000);
  expect(bounded.rows).toEqual(rows.slice(0, bounded.rows.length));
  expect(bounded.rows.length + (bounded.more ?? 0)).toBe(10_005);
  expect(JSON.stringify(bounded).length).toBeLessThan(80_000);
});

it('long values, names, headings and titles are cut between characters', () => {
  const long = '語'.repeat(1_000_000);
  const table = boundDisplay({ kind: 'table', title: long, columns: [long], rows: [[long]] }) as TableDisplay;
  for (const text of [table.title, table.columns[0], table.rows[0]?.[0]])
    expect(text).toMatch(/^語{600,700}…$/);
  const fields = boundDisplay({ kind: 'fields', fields: [[long, long]] }) as FieldsDisplay;
  for (const text of fields.fields[0]!) expect(text).toMatch(/^語{600,700}…$/);
});

it('Markdown is bounded like text', () => {
  const text = 'a line\n'.repeat(100_000);
  const bounded = boundDisplay({ kind: 'markdown', text });
  expect(bounded).toEqual({ kind: 'markdown', text: boundDisplay(text) });
  expect(JSON.stringify(bounded).length).toBeLessThan(80_000);
});
