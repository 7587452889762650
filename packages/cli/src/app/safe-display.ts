import type { DisplayData, DisplayValue, TableDisplay } from '@toolwright/core';
import { type SafeDiff, type SafeText, safe, safeDiff, safeLine } from './safe-text.js';

export interface SafeColumn {
  heading: SafeText;
  /** True if the column holds numbers and nothing else. */
  isNumeric: boolean;
}

/** A display that can go to a terminal. */
export type SafeDisplay =
  | { kind: 'markdown'; text: SafeText }
  | { kind: 'diff'; files: SafeDiff }
  | { kind: 'table'; title: SafeText; columns: SafeColumn[]; rows: SafeText[][]; more: number }
  | { kind: 'fields'; title: SafeText; fields: [name: SafeText, value: SafeText][]; more: number };

export function safeDisplay(display: DisplayData): SafeDisplay {
  switch (display.kind) {
    case 'markdown':
      return { kind: 'markdown', text: safe(display.text) };
    case 'diff':
      return { kind: 'diff', files: safeDiff(display) };
    case 'table': {
      const { title = '', rows, more = 0 } = display;
      return {
        kind: 'table',
        title: safeLine(title),
        columns: columnsOf(display),
        rows: rows.map((row) => row.map(safeValue)),
        more,
      };
    }
    case 'fields': {
      const { title = '', fields, more = 0 } = display;
      const safeFields = fields.map(([name, value]): [SafeText, SafeText] => [
        safeLine(name),
        safeValue(value),
      ]);
      return { kind: 'fields', title: safeLine(title), fields: safeFields, more };
    }
  }
}

function columnsOf({ columns, rows }: TableDisplay): SafeColumn[] {
  return columns.map((heading, index) => {
    const values = rows.map((row) => row[index]).filter((value) => value !== null);
    const isNumeric = values.length > 0 && values.every((value) => typeof value === 'number');
    return { heading: safeLine(heading), isNumeric };
  });
}

/** A value is one line: its own line breaks could make it pass for other rows. */
function safeValue(value: DisplayValue): SafeText {
  return safe(String(value ?? '').replace(/\s*[\r\n]+\s*/g, ' '));
}
