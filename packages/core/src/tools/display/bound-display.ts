import { formatBytes } from '@toolwright/machine/base/amounts.js';
import type { FileDiff } from '@toolwright/machine/base/content.js';
import { type Bounded, clipBytes, headAndTail } from '@toolwright/machine/base/truncate.js';
import type { Display, DisplayValue, FieldsDisplay, TableDisplay } from './display.js';

const TEXT_BOUNDS = { maxBytes: 64 * 1024, maxLines: 2_000 };
const MAX_DIFF_BYTES = 256 * 1024;
const MAX_ROWS_BYTES = 64 * 1024;
const MAX_VALUE_BYTES = 2 * 1024;

/** Cuts a display to size. `whole` is its text as it was counted before. */
export function boundDisplay(display: Display, whole?: Bounded): Display {
  if (typeof display === 'string') return boundText(display, whole);
  switch (display.kind) {
    case 'markdown':
      return { ...display, text: boundText(display.text) };
    case 'diff':
      return boundDiff(display);
    case 'table':
      return boundTable(display);
    case 'fields':
      return boundFields(display);
  }
}

function boundText(text: string, whole?: Bounded): string {
  const bounded = headAndTail(text, TEXT_BOUNDS, whole ? { whole } : {});
  return bounded.truncated ? bounded.text : text;
}

function boundDiff(diff: FileDiff): FileDiff {
  let room = MAX_DIFF_BYTES;
  const files = diff.files.map((file) => {
    room -= file.unified.length;
    return room >= 0
      ? file
      : { ...file, unified: `(${formatBytes(file.unified.length)} of difference not shown)` };
  });
  return { ...diff, files };
}

function boundTable(table: TableDisplay): TableDisplay {
  const columns = table.columns.map(clip);
  const { kept, more } = fitting(
    table.rows.map((row) => row.map(boundValue)),
    table.more,
  );
  return { ...table, title: table.title && clip(table.title), columns, rows: kept, more };
}

function boundFields(display: FieldsDisplay): FieldsDisplay {
  const fields = display.fields.map(([name, value]) => [clip(name), boundValue(value)] as const);
  const { kept, more } = fitting(fields, display.more);
  return { ...display, title: display.title && clip(display.title), fields: kept, more };
}

/** The first rows that fit together, and the count of those that there are beyond them. */
function fitting<Row extends readonly DisplayValue[]>(
  rows: readonly Row[],
  more: number | undefined,
): { kept: Row[]; more: number | undefined } {
  let room = MAX_ROWS_BYTES;
  const end = rows.findIndex((row) => (room -= sizeOf(row)) < 0);
  if (end === -1) return { kept: [...rows], more };
  return { kept: rows.slice(0, end), more: (more ?? 0) + rows.length - end };
}

function sizeOf(row: readonly DisplayValue[]): number {
  return Buffer.byteLength(JSON.stringify(row));
}

function boundValue(value: DisplayValue): DisplayValue {
  return typeof value === 'string' ? clip(value) : value;
}

function clip(text: string): string {
  const kept = clipBytes(text, MAX_VALUE_BYTES);
  return kept.length < text.length ? `${kept}…` : text;
}
