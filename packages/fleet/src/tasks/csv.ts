import { taskFields, unknownField } from './check-row.js';
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
  const columns = head.map((cell) => ({ ...cell, text: cell.text.trim() }));
  const faults = headFaults(columns);
  if (faults.length > 0) return { rows: [], faults };
  const rows: SourceRow[] = [];
  for (const cells of others) {
    const tooMany = cells[columns.length];
    if (tooMany)
      faults.push({
        line: tooMany.line,
        column: tooMany.column,
        message: `the head line has ${columns.length} columns, this one has ${cells.length}`,
      });
    else rows.push(rowOf(cells, columns));
  }
  return { rows, faults };
}

/** A wrong name is told once, not for each row. */
function headFaults(columns: readonly Cell[]): SourceRows['faults'] {
  const names = columns.map(({ text }) => text);
  return columns.flatMap(({ text, line, column }, index) => {
    const place = { line, column };
    if (!taskFields.includes(text)) return [{ ...place, message: `${text} ${unknownField(text)}` }];
    if (names.indexOf(text) < index) return [{ ...place, message: `${text} is there twice` }];
    return [];
  });
}

function rowOf(cells: readonly Cell[], columns: readonly Cell[]): SourceRow {
  const names = columns.map(({ text }) => text);
  return {
    value: Object.fromEntries(cells.map((cell, index) => [names[index]!, cell.text])),
    placeOf(field) {
      const { line, column } = cells[names.indexOf(field ?? '')] ?? cells[0]!;
      return { line, column };
    },
  };
}

interface Reading {
  lines: Cell[][];
  fault?: { line: number; column: number; message: string };
}

/** The position of the reader. */
interface TextPlace {
  at: number;
  line: number;
  /** The start of the line. */
  lineStart: number;
}

const columnAt = ({ at, lineStart }: TextPlace): number => at - lineStart + 1;

function splitCells(text: string): Reading {
  const lines: Cell[][] = [];
  const place: TextPlace = { at: 0, line: 1, lineStart: 0 };
  while (place.at < text.length) {
    const cells: Cell[] = [];
    do {
      const cell = readCell(text, place);
      if (cell === null)
        return {
          lines,
          fault: { line: place.line, column: columnAt(place), message: 'the quote is never closed' },
        };
      cells.push(cell);
    } while (skip(text, place, ','));
    const end: TextPlace = { ...place };
    skip(text, place, '\r');
    if (!skip(text, place, '\n') && place.at < text.length)
      return {
        lines,
        fault: {
          line: end.line,
          column: columnAt(end),
          message: 'expected a comma or the end of the line',
        },
      };
    if (cells.length > 1 || cells[0]!.text.trim()) lines.push(cells);
  }
  return { lines };
}

/** The cell that begins here, and the place after it; null where its quote is never closed. */
function readCell(text: string, place: TextPlace): Cell | null {
  const begin = { line: place.line, column: columnAt(place) };
  if (text[place.at] !== '"') {
    const [plain] = plainCell(text, place.at);
    place.at += plain.length;
    return { text: plain, ...begin };
  }
  const end = endOfQuote(text, place.at);
  if (end === -1) return null;
  const quoted = text.slice(place.at + 1, end);
  moveTo(end + 1, text, place);
  return { text: quoted.replaceAll('""', '"'), ...begin };
}

function plainCell(text: string, at: number): RegExpExecArray {
  const pattern = /[^,\r\n]*/y;
  pattern.lastIndex = at;
  return pattern.exec(text)!;
}

/** Passes over a character that stands here; false where another one does. */
function skip(text: string, place: TextPlace, character: string): boolean {
  if (text[place.at] !== character) return false;
  place.at += 1;
  if (character === '\n') [place.line, place.lineStart] = [place.line + 1, place.at];
  return true;
}

function moveTo(end: number, text: string, place: TextPlace): void {
  let breakAt = text.indexOf('\n', place.at);
  while (breakAt !== -1 && breakAt < end) {
    place.line += 1;
    place.lineStart = breakAt + 1;
    breakAt = text.indexOf('\n', breakAt + 1);
  }
  place.at = end;
}

function endOfQuote(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    at = text.indexOf('"', at);
    if (at === -1 || text[at + 1] !== '"') return at;
    at += 1;
  }
}
