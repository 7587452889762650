import type { Tokens } from 'marked';
import { inlineSpans } from './inline.js';
import { type Appearance, type Span, type StyledLine, textOfLine, widthOf, wrap } from './line.js';

const LEAST_COLUMN = 5;

export interface Cell {
  spans: Span[];
  align: 'center' | 'left' | 'right' | null;
}

/** A table of Markdown. */
export function renderTable(table: Tokens.Table, width: number, appearance: Appearance): StyledLine[] {
  const header = table.header.map((cell) => cellOf(cell, true));
  const rows = table.rows.map((row) => row.map((cell) => cellOf(cell, false)));
  const laid = layOutTable(header, rows, { width, appearance });
  return [...laid.head, ...laid.rows.flat()];
}

interface TableRoom {
  width: number;
  appearance: Appearance;
}

/** Lays a table out in columns where they fit; else, and for linear reading, as `heading: value` lines. */
export function layOutTable(
  header: readonly Cell[],
  rows: readonly Cell[][],
  { width, appearance }: TableRoom,
): { head: StyledLine[]; rows: StyledLine[][] } {
  const separator = appearance.unicode ? ' │ ' : ' | ';
  const room = width - separator.length * (header.length - 1);
  if (appearance.linear || room < header.length * LEAST_COLUMN)
    return { head: [], rows: linearRows(header, rows, width) };
  const widths = fitted(naturalWidths([header, ...rows]), room);
  const rule = widths.map((columns) => (appearance.unicode ? '─' : '-').repeat(columns));
  return {
    head: [
      ...rowLines(header, widths, separator),
      [{ text: rule.join(appearance.unicode ? '─┼─' : '-+-'), style: { dim: true } }],
    ],
    rows: rows.map((row) => rowLines(row, widths, separator)),
  };
}

/** Lays names and their values out in two columns; in narrow places, and for linear reading, as `name: value`. */
export function layOutFields(fields: readonly Cell[][], { width, appearance }: TableRoom): StyledLine[][] {
  const gap = '  ';
  const room = width - gap.length;
  if (appearance.linear || room < 2 * LEAST_COLUMN)
    return fields.map(([name, value]) =>
      wrap([...(name?.spans ?? []), { text: ': ' }, ...(value?.spans ?? [])], width),
    );
  const widths = fitted(naturalWidths(fields), room);
  return fields.map((field) => rowLines(field, widths, gap));
}

function cellOf(cell: Tokens.TableCell, isHeader: boolean): Cell {
  const spans = inlineSpans(cell.tokens, isHeader ? { bold: true } : {});
  return { spans: spans.map((span) => (span.text === '\n' ? { text: ' ' } : span)), align: cell.align };
}

function naturalWidths(rows: readonly (readonly Cell[])[]): number[] {
  const [header = []] = rows;
  return header.map((_, column) =>
    Math.max(1, ...rows.map((row) => widthOf(textOfLine(row[column]?.spans ?? [])))),
  );
}

/** Columns that are narrow anyway keep their width; the wide ones share what is left. */
function fitted(natural: readonly number[], room: number): number[] {
  const widths = [...natural];
  let total = widths.reduce((sum, width) => sum + width, 0);
  while (total > room) {
    const widest = widths.indexOf(Math.max(...widths));
    const second = Math.max(LEAST_COLUMN, ...widths.filter((width) => width < widths[widest]!));
    const cut = Math.max(1, Math.min(total - room, widths[widest]! - second));
    if (widths[widest]! - cut < 2) break;
    widths[widest]! -= cut;
    total -= cut;
  }
  return widths;
}

function rowLines(cells: readonly Cell[], widths: readonly number[], separator: string): StyledLine[] {
  const wrapped = widths.map((width, column) => wrap(cells[column]?.spans ?? [], width));
  const height = Math.max(1, ...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, index) => {
    const parts = widths.flatMap((width, column): Span[] => {
      const spans = wrapped[column]?.[index] ?? [];
      const isLast = column === widths.length - 1;
      const divider: Span[] = isLast ? [] : [{ text: separator, style: { dim: true } }];
      return [...aligned(spans, { width, align: cells[column]?.align ?? null, isLast }), ...divider];
    });
    return parts;
  });
}

function aligned(
  spans: StyledLine,
  { width, align, isLast }: { width: number; align: Cell['align']; isLast: boolean },
): Span[] {
  const free = Math.max(0, width - widthOf(textOfLine(spans)));
  const before = align === 'right' ? free : align === 'center' ? Math.floor(free / 2) : 0;
  const after = isLast ? 0 : free - before;
  const blanks = (count: number): Span[] => (count > 0 ? [{ text: ' '.repeat(count) }] : []);
  return [...blanks(before), ...spans, ...blanks(after)];
}

function linearRows(header: readonly Cell[], rows: readonly Cell[][], width: number): StyledLine[][] {
  return rows.map((row, index) => [
    ...(index > 0 ? [[]] : []),
    ...header.flatMap((heading, column) =>
      wrap([...heading.spans, { text: ': ' }, ...(row[column]?.spans ?? [])], width),
    ),
  ]);
}
