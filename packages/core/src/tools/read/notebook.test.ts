import { describe, expect, it } from 'vitest';
import { parseNotebook } from './notebook.js';

const notebook = (cells: object[]) =>
  JSON.stringify({ nbformat: 4, metadata: { language_info: { name: 'python' } }, cells });
const firstCell = (cell: object) => parseNotebook(notebook([cell]))?.cells[0];

describe('parseNotebook', () => {
  it('shows cells with their kind, number and outputs', () => {
    const text = notebook([
      { cell_type: 'markdown', source: ['# Title\n', 'words'] },
      {
        cell_type: 'code',
        execution_count: 3,
        source: 'print(1)\n1 + 1',
        outputs: [
          { output_type: 'stream', name: 'stdout', text: ['1\n'] },
          { output_type: 'execute_result', data: { 'text/plain': '2', 'text/html': '<b>2</b>' } },
        ],
      },
    ]);
    expect(parseNotebook(text)).toEqual({
      language: 'python',
      cells: [
        [{ text: '--- cell 1: markdown ---\n# Title\nwords' }],
        [
          { text: '--- cell 2: code, run 3 ---\nprint(1)\n1 + 1' },
          { text: '--- stdout ---\n1\n' },
          { text: '--- output ---\n2' },
        ],
      ],
    });
  });

  it('gives images as data', () => {
    const outputs = [
      { output_type: 'display_data', data: { 'image/png': 'aGVs\nbG8=\n', 'text/plain': '<Figure>' } },
    ];
    expect(firstCell({ cell_type: 'code', source: '', outputs })?.[1]).toEqual({
      mimeType: 'image/png',
      base64: 'aGVsbG8=',
    });
  });

  it('shows errors without terminal colours', () => {
    const outputs = [
      {
        output_type: 'error',
        ename: 'ValueError',
        evalue: 'bad',
        traceback: ['\x1b[0;31mValueError\x1b[0m: bad'],
      },
    ];
    expect(firstCell({ cell_type: 'code', source: '', outputs })?.[1]).toEqual({
      text: '--- error ---\nValueError: bad',
    });
  });

  it('shortens long outputs and names what it can not show', () => {
    const outputs = [
      { output_type: 'stream', name: 'stdout', text: 'row\n'.repeat(5000) },
      { output_type: 'display_data', data: { 'text/html': '<table></table>' } },
    ];
    const cell = firstCell({ cell_type: 'code', source: '', outputs }) as { text: string }[];
    expect(cell[1]?.text).toMatch(
      /^--- stdout \(the first \d+ lines and the last \d+ lines of 5,000 lines\) ---\nrow/,
    );
    expect(cell[2]?.text).toBe('--- output ---\n[text/html, 15 bytes, not shown]');
  });

  it('reads the older format with worksheets', () => {
    const old = {
      nbformat: 3,
      metadata: {},
      worksheets: [
        {
          cells: [
            {
              cell_type: 'code',
              input: ['x = 1'],
              prompt_number: 1,
              outputs: [{ output_type: 'pyout', text: ['1'] }],
            },
          ],
        },
      ],
    };
    expect(parseNotebook(JSON.stringify(old))?.cells[0]?.[0]).toEqual({
      text: '--- cell 1: code, run 1 ---\nx = 1',
    });
  });

  it.each(['', '{', '[]', 'null', '{"cells": 3}', '{"a": 1}'])('is null for %j', (text) => {
    expect(parseNotebook(text)).toBeNull();
  });

  it('survives cells of the wrong shape', () => {
    for (const cell of [
      null,
      3,
      [],
      {},
      { cell_type: 7, source: { a: 1 }, outputs: 'x' },
      { outputs: [null, {}] },
    ]) {
      expect(() => parseNotebook(JSON.stringify({ cells: [cell] }))).not.toThrow();
    }
  });
});
