import type { SourceRow, SourceRows } from './source-row.js';

interface Cell {
  text: string;
  line: number;
  column: number;
}

/** Rows under a head line; cells may be in quotes, with doubled quotes and line breaks inside. */
export function readCsv(text: string): SourceRows {
  const { lines, fault } = splitCells(text);
  const [head, ...others] = lines;
  if (fault || !head) return { rows: [], faults: fault ? [fault] : [] };
  const names = head.map(({ text: name }) => name.trim());
  const rows: SourceRow[] = [];
  const faults: SourceRows['faults'] = [];
  for (const cells of others) {
    const first = cells[0]!;
    if (cells.length > names.length) {
      const { line, column } = cells[names.length]!;
      faults.push({
        line,
        column,
        message: `the head line has ${names.length} columns, this one has ${cells.length}`,
      });
      continue;
    }
    rows.push({
      value: Object.fromEntries(cells.map((cell, index) => [names[index]!, cell.text])),
      placeOf(field) {
        const { line, column } = cells[names.indexOf(field ?? '')] ?? first;
        return { line, column };
      },
    });
  }
  return { rows, faults };
}

interface Reading {
  lines: Cell[][];
  fault?: { line: number; column: number; message: string };
}

function splitCells(text: string): Reading {
  const lines: Cell[][] = [];
  let cells: Cell[] = [];
  let [line, lineStart, at] = [1, 0, 0];
  const endRow = (): void => {
    if (cells.length > 1 || cells[0]?.text.trim()) lines.push(cells);
    cells = [];
  };
  while (at < text.length) {
    const cell: Cell = { text: '', line, column: at - lineStart + 1 };
    if (text[at] === '"') {
      const end = endOfQuote(text, at);
      if (end === -1) return { lines, fault: { ...cell, message: 'the quote is never closed' } };
      cell.text = text.slice(at + 1, end).replaceAll('""', '"');
      for (
        let index = text.indexOf('\n', at);
        index !== -1 && index < end;
        index = text.indexOf('\n', index + 1)
      ) {
        line += 1;
        lineStart = index + 1;
      }
      at = end + 1;
    } else {
      const [plain = ''] = /^[^,\r\n]*/.exec(text.slice(at, at + 1_000_000)) ?? [];
      cell.text = plain;
      at += plain.length;
    }
    cells.push(cell);
    if (text[at] === ',') {
      at += 1;
      if (at === text.length || text[at] === '\n' || text[at] === '\r')
        cells.push({ text: '', line, column: at - lineStart + 1 });
      else continue;
    }
    if (text[at] === '\r') at += 1;
    if (text[at] === '\n') {
      at += 1;
      line += 1;
      lineStart = at;
    } else if (at < text.length) {
      return {
        lines,
        fault: { line, column: at - lineStart + 1, message: 'expected a comma or the end of the line' },
      };
    }
    endRow();
  }
  if (cells.length > 0) endRow();
  return { lines };
}

function endOfQuote(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    at = text.indexOf('"', at);
    if (at === -1 || text[at + 1] !== '"') return at;
    at += 1;
  }
}
