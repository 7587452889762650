import { taskFields, unknownField } from './check-row.js';
import {
  LONGEST_ROW,
  type SourceEntry,
  type SourceRow,
  type TaskFault,
  type TextPieces,
  tooLong,
} from './source-row.js';

interface Cell {
  text: string;
  line: number;
  column: number;
}

/** Reads rows under a head line; cells may be in quotes, with doubled quotes and line breaks inside. */
export async function* readCsv(pieces: TextPieces): AsyncGenerator<SourceEntry> {
  let columns: Cell[] | null = null;
  for await (const cells of rowsOf(pieces)) {
    if ('fault' in cells) return yield cells;
    if (cells.length === 1 && cells[0]!.text.trim() === '') continue;
    if (columns) yield entryOf(cells, columns);
    else {
      columns = cells.map((cell) => ({ ...cell, text: cell.text.trim() }));
      const faults = headFaults(columns);
      yield* faults.map((fault) => ({ fault }));
      if (faults.length > 0) return;
    }
  }
}

function entryOf(cells: readonly Cell[], columns: readonly Cell[]): SourceEntry {
  const tooMany = cells[columns.length];
  if (!tooMany) return { row: rowOf(cells, columns) };
  const { line, column } = tooMany;
  const message = `the header line has ${columns.length} columns, this one has ${cells.length}`;
  return { fault: { line, column, message } };
}

/** A wrong name is told once, not for each row. */
function headFaults(columns: readonly Cell[]): TaskFault[] {
  const names = columns.map(({ text }) => text);
  return columns.flatMap(({ text, line, column }, index) => {
    const place = { line, column };
    if (!taskFields.includes(text)) return [{ ...place, message: `${text} ${unknownField(text)}` }];
    if (names.indexOf(text) < index) return [{ ...place, message: `${text} appears twice` }];
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

/** The position of the reader. */
interface TextPlace {
  at: number;
  line: number;
  /** The start of the line. */
  lineStart: number;
}

const columnAt = ({ at, lineStart }: TextPlace): number => at - lineStart + 1;

type Reading = Cell[] | { fault: TaskFault };

/** Reads the cells of one row after the other. Behind a fault nothing can be told apart. */
async function* rowsOf(pieces: TextPieces): AsyncGenerator<Reading> {
  const place: TextPlace = { at: 0, line: 1, lineStart: 0 };
  let text = '';
  for await (const piece of pieces) {
    text = text.slice(place.at) + piece;
    place.lineStart -= place.at;
    place.at = 0;
    yield* wholeRows(text, place);
    const { line } = place;
    if (text.length - place.at > LONGEST_ROW)
      yield { fault: { line, column: columnAt(place), message: tooLong } };
  }
  while (place.at < text.length) yield readRow(text, place);
}

/** Reads the rows that end before the text does: the last one may go on in the next piece. */
function* wholeRows(text: string, place: TextPlace): Generator<Reading> {
  for (;;) {
    const start = { ...place };
    const row = readRow(text, place);
    if (place.at >= text.length) return void Object.assign(place, start);
    yield row;
  }
}

/** Reads the row that begins here. The place is after it then; at the end of the text where a quote is not closed. */
function readRow(text: string, place: TextPlace): Reading {
  const cells: Cell[] = [];
  do {
    const cell = readCell(text, place);
    if (cell === null) {
      const fault = { line: place.line, column: columnAt(place), message: 'the quote is never closed' };
      place.at = text.length;
      return { fault };
    }
    cells.push(cell);
  } while (skip(text, place, ','));
  const { line } = place;
  const column = columnAt(place);
  skip(text, place, '\r');
  if (skip(text, place, '\n') || place.at >= text.length) return cells;
  return { fault: { line, column, message: 'expected a comma or the end of the line' } };
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
