import { expect, it } from 'vitest';
import { displayProblem } from './display-problem.js';

const file = { path: 'a.txt', change: 'modify', unified: '@@', added: 1, removed: 0 };

it.each<[string, unknown]>([
  ['text', ''],
  ['Markdown', { kind: 'markdown', text: '**x**' }],
  ['a diff', { kind: 'diff', files: [file] }],
  ['a diff of nothing', { kind: 'diff', files: [] }],
  [
    'a table',
    {
      kind: 'table',
      columns: ['a', 'b'],
      rows: [
        ['x', 1],
        [true, null],
      ],
    },
  ],
  ['a table with all it may have', { kind: 'table', title: 't', columns: ['a'], rows: [], more: 3 }],
  [
    'fields',
    {
      kind: 'fields',
      title: 't',
      fields: [
        ['a', 1],
        ['b', null],
      ],
      more: 0,
    },
  ],
])('%s is a display', (_what, display) => {
  expect(displayProblem(display)).toBeNull();
});

const table = { kind: 'table', columns: ['a', 'b'], rows: [['x', 1]] };

it.each<[unknown, string]>([
  [undefined, 'it is undefined.'],
  [null, 'it is null.'],
  [7, 'it is 7.'],
  [['a'], 'it is a list.'],
  [{}, 'it has no kind.'],
  [{ kind: 'chart' }, 'it has the kind "chart".'],
  [{ kind: 'tabel' }, 'it has the kind "tabel" (did you mean table?).'],
  [{ kind: 'markdown' }, 'text is undefined and not text.'],
  [{ kind: 'diff' }, 'files is undefined and not a list.'],
  [
    { kind: 'diff', files: [{ ...file, change: 'edit' }] },
    'files[0].change is "edit" and not one of create,',
  ],
  [{ kind: 'diff', files: [file, { ...file, added: -1 }] }, 'files[1].added is -1 and not a count.'],
  [{ ...table, colums: ['a'] }, 'it has an unknown member colums (did you mean columns?).'],
  [{ ...table, columns: [] }, 'columns has 0 headings; a table has 1 to 100 columns.'],
  [{ ...table, columns: Array(101).fill('x') }, 'columns has 101 headings; a table has 1 to 100 columns.'],
  [{ ...table, columns: [{ title: 'a' }, 'b'] }, 'columns[0] is an object and not text.'],
  [{ ...table, rows: [['x', 1], ['y']] }, 'rows[1] has 1 value for 2 columns.'],
  [{ ...table, rows: [{ a: 'x', b: 1 }] }, 'rows[0] is an object and not a list.'],
  [
    { ...table, rows: [['x', new Date(0)]] },
    'rows[0][1] is an object of the class Date and not text, a number, true',
  ],
  [{ ...table, rows: [['x', Number.NaN]] }, 'rows[0][1] is NaN and not text, a number, true, false or null.'],
  // biome-ignore lint/suspicious/noSparseArray: a hole is what is tried.
  [{ ...table, rows: [['x', ,]] }, 'rows[0][1] is undefined and not text, a number, true, false or null.'],
  [{ ...table, more: 'many' }, 'more is "many" and not a count.'],
  [{ ...table, title: 1 }, 'title is 1 and not text.'],
  [{ kind: 'fields', fields: { a: 1 } }, 'fields is an object and not a list.'],
  [{ kind: 'fields', fields: [['a', 1, 2]] }, 'fields[0] is a list of 3 and not [name, value].'],
  [{ kind: 'fields', fields: [[1, 'a']] }, 'fields[0][0] is 1 and not text.'],
  [{ kind: 'fields', fields: [['a', () => 1]] }, 'fields[0][1] is a function and not text'],
])('%j is none, for a reason that says what is allowed', (display, reason) => {
  const problem = displayProblem(display);
  expect(problem).toContain(reason);
  expect(problem).toMatch(
    /A display is text, \{kind: 'markdown', text\}, .* or \{kind: 'fields', title\?, fields, more\?\}\.$/,
  );
});
