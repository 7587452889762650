import type { SafeDisplay } from '../../app/safe-display.js';
import { renderDiff } from './diff.js';
import { type Appearance, line, type Style, type StyledLine, wrap } from './line.js';
import { renderMarkdown } from './markdown.js';
import { type Cell, layOutFields, layOutTable } from './table.js';

export interface DisplayRoom {
  width: number;
  /** Most lines of the display itself; one more says what was left out. */
  lines: number;
  appearance: Appearance;
  /** The way to see what was left out, with a blank before it. */
  more?: string;
}

/** A display of a call as lines that fit the width. */
export function renderDisplay(display: SafeDisplay, room: DisplayRoom): StyledLine[] {
  switch (display.kind) {
    case 'markdown':
      return firstLines(renderMarkdown(display.text, room.width, room.appearance), room);
    case 'diff':
      return firstLines(renderDiff(display.files, room.width), room);
    case 'table':
      return renderRows(tableRows(display, room), { display, noun: 'row', room });
    case 'fields':
      return renderRows(fieldRows(display, room), { display, noun: 'field', room });
  }
}

type Table = Extract<SafeDisplay, { kind: 'table' }>;
type Fields = Extract<SafeDisplay, { kind: 'fields' }>;

interface LaidOut {
  head: StyledLine[];
  rows: StyledLine[][];
  /** Rows that were not laid out. */
  rest: number;
}

function tableRows({ columns, rows }: Table, room: DisplayRoom): LaidOut {
  const aligns = columns.map(({ isNumeric }) => (isNumeric ? 'right' : null));
  const header = columns.map(({ heading }, index) => cellOf(heading, aligns[index], { bold: true }));
  const seen = rows.slice(0, room.lines);
  const cells = seen.map((row) => row.map((text, index) => cellOf(text, aligns[index])));
  return { ...layOutTable(header, cells, room), rest: rows.length - seen.length };
}

function fieldRows({ fields }: Fields, room: DisplayRoom): LaidOut {
  const seen = fields.slice(0, room.lines);
  const cells = seen.map(([name, value]) => [cellOf(name, null, { bold: true }), cellOf(value)]);
  return { head: [], rows: layOutFields(cells, room), rest: fields.length - seen.length };
}

function cellOf(text: string, align: Cell['align'] = null, style?: Style): Cell {
  return { spans: [...line(text, style)], align };
}

interface RowsAround {
  display: Table | Fields;
  noun: string;
  room: DisplayRoom;
}

/** Whole rows, as many as there is room for; of a first row that is too high its beginning. */
function renderRows({ head, rows, rest }: LaidOut, { display, noun, room }: RowsAround): StyledLine[] {
  const title = display.title === '' ? [] : wrap(line(display.title, { bold: true }), room.width);
  const above = [...title, ...head];
  let free = room.lines - above.length;
  const end = rows.findIndex((row, index) => (free -= row.length) < 0 && index > 0);
  const shown = end === -1 ? rows : rows.slice(0, end);
  const more = rows.length - shown.length + rest + display.more;
  return [...above, ...firstLines(shown.flat(), room), ...leftOut(more, [noun, room.more], room.appearance)];
}

export function firstLines(
  lines: readonly StyledLine[],
  { lines: most, appearance, more }: DisplayRoom,
): StyledLine[] {
  return [...lines.slice(0, most), ...leftOut(lines.length - most, ['line', more], appearance)];
}

export function leftOut(
  count: number,
  [noun, ofWhat = '']: [noun: string, ofWhat?: string],
  { unicode }: Appearance,
): StyledLine[] {
  if (count <= 0) return [];
  const words = `${count} more ${noun}${count === 1 ? '' : 's'}${ofWhat}`;
  return [line(`${unicode ? '…' : '...'} ${words}`, { dim: true })];
}
