import { applyEdits } from '@toolwright/machine/base/text-codec.js';
import { describe, expect, it } from 'vitest';
import { type CellChange, cellEdits } from './cell-edits.js';

/** A notebook as Jupyter writes it: one blank a level, keys in order, and things that another program would write differently. */
const jupyter = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "m1",
   "metadata": {},
   "source": [
    "# Title\\n",
    "caf\\u00e9 1e3"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 7,
   "id": "c1",
   "metadata": {"odd":   [1.0, 1e3]},
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "3\\n"
     ]
    }
   ],
   "source": [
    "1 + 2"
   ]
  }
 ],
 "metadata": { "kernelspec": {"language":"python"} },
 "nbformat": 4,
 "nbformat_minor": 5
}
`;
const compact =
  '{"cells":[{"cell_type":"code","execution_count":1,"metadata":{},"outputs":[1],"source":"a"}],"metadata":{},"nbformat":4,"nbformat_minor":2}';

const after = (text: string, change: CellChange): string => applyEdits(text, cellEdits(text, change) ?? []);
const insert = (cell: number, source: string, type: 'code' | 'markdown' = 'code'): CellChange => ({
  action: 'insert',
  cell,
  source,
  type,
  id: 'new',
});

describe('a replaced cell', () => {
  it('has the new source and no outputs; every other byte stays', () => {
    const changed = after(jupyter, { action: 'replace', cell: 2, source: 'x = 1\nx' });
    const expected = jupyter
      .replace('"execution_count": 7', '"execution_count": null')
      .replace(/"outputs": \[[\s\S]*?\n {3}\]/, '"outputs": []')
      .replace('    "1 + 2"\n', '    "x = 1\\n",\n    "x"\n');
    expect(changed).toBe(expected);
  });

  it('keeps the manner of a file on one line, whose sources are texts', () => {
    expect(after(compact, { action: 'replace', cell: 1, source: 'b\nc' })).toBe(
      compact
        .replace('"source":"a"', '"source":"b\\nc"')
        .replace('[1]', '[]')
        .replace('"execution_count":1', '"execution_count":null'),
    );
  });

  it('keeps the line ends of Windows', () => {
    const windows = jupyter.replaceAll('\n', '\r\n');
    const changed = after(windows, { action: 'replace', cell: 1, source: 'a\nb' });
    expect(changed.replaceAll('\r\n', '')).not.toContain('\n');
    expect(JSON.parse(changed).cells[0].source).toEqual(['a\n', 'b']);
  });
});

describe('an inserted cell', () => {
  it('stands before the one that had its number, as Jupyter writes it', () => {
    const changed = after(jupyter, insert(2, 'y'));
    expect(JSON.parse(changed).cells.map((cell: { id: string }) => cell.id)).toEqual(['m1', 'new', 'c1']);
    const made =
      '{\n   "cell_type": "code",\n   "execution_count": null,\n   "id": "new",\n   "metadata": {},\n   "outputs": [],\n   "source": [\n    "y"\n   ]\n  },\n  ';
    expect(changed.replace(made, '')).toBe(jupyter);
  });

  it('may be the first, the last, or the only one', () => {
    for (const number of [1, 3]) {
      const changed = after(jupyter, insert(number, 'text', 'markdown'));
      expect(JSON.parse(changed).cells[number - 1]).toEqual({
        cell_type: 'markdown',
        id: 'new',
        metadata: {},
        source: ['text'],
      });
    }
    expect(
      JSON.parse(after('{"cells": [], "nbformat": 4, "nbformat_minor": 4}', insert(1, ''))).cells,
    ).toEqual([{ cell_type: 'code', execution_count: null, metadata: {}, outputs: [], source: [] }]);
    expect(JSON.parse(after('{\n "cells": [],\n "nbformat": 4\n}', insert(1, 'a'))).cells).toHaveLength(1);
  });
});

describe('a deleted cell', () => {
  it('takes its comma with it, and nothing else', () => {
    const first = after(jupyter, { action: 'delete', cell: 1 });
    expect(JSON.parse(first).cells).toHaveLength(1);
    expect(first).toBe(jupyter.replace(/\{\n {3}"cell_type": "markdown"[\s\S]*?\n {2}\},\n {2}/, ''));
    const last = after(jupyter, { action: 'delete', cell: 2 });
    expect(last).toBe(jupyter.replace(/,\n {2}\{\n {3}"cell_type": "code"[\s\S]*?\n {2}\}(?=\n \])/, ''));
    expect(JSON.parse(after(compact, { action: 'delete', cell: 1 })).cells).toEqual([]);
  });
});

it('an insertion that is deleted again leaves every byte as it was', () => {
  for (const number of [1, 2, 3])
    expect(after(after(jupyter, insert(number, 'z\n')), { action: 'delete', cell: number })).toBe(jupyter);
});

it('notebook_edit says which cells there are', () => {
  expect(() => cellEdits(jupyter, { action: 'delete', cell: 3 })).toThrow(
    'There is no cell 3: the notebook has 2 cells. Nothing was changed.',
  );
  expect(cellEdits('{"worksheets": []}', { action: 'delete', cell: 1 })).toBeNull();
  expect(cellEdits('no JSON', { action: 'delete', cell: 1 })).toBeNull();
});
