import { terminalSafe } from '@toolwright/core/front-end';
import { graphemes, type InputLine } from '../../../app/input-line.js';
import { type StyledLine, widthOf } from '../line.js';

export interface LaidOutInput {
  lines: StyledLine[];
  cursor: { row: number; column: number };
}

/** Wraps the typed text and finds the cursor; shows a window around it where there are too many rows. */
export function layoutInput(
  { text, cursor }: InputLine,
  { width, mark, maxRows }: { width: number; mark: string; maxRows: number },
): LaidOutInput {
  const inset = widthOf(mark);
  const room = Math.max(2, width - inset);
  const rows = [''];
  let column = 0;
  let at = 0;
  let found: { row: number; column: number } | null = null;
  const breakRow = (): void => {
    rows.push('');
    column = 0;
  };
  const typed = graphemes(text);
  for (const [index, grapheme] of typed.entries()) {
    if (at >= cursor) found ??= place(rows, column, room);
    at += grapheme.length;
    if (grapheme === '\n' || grapheme === '\r\n') {
      breakRow();
      continue;
    }
    for (const shown of graphemes(visible(grapheme, [typed[index - 1], typed[index + 1]]))) {
      const width = widthOf(shown);
      if (column + width > room) breakRow();
      rows[rows.length - 1] += shown;
      column += width;
    }
  }
  found ??= place(rows, column, room);
  if (found.row === rows.length) rows.push('');
  const first = Math.max(0, Math.min(found.row - maxRows + 1, rows.length - maxRows));
  const lines = rows.slice(first, first + maxRows).map((row, index): StyledLine => {
    const isFirst = first + index === 0;
    return [
      { text: isFirst ? mark : ' '.repeat(inset), style: { color: 'blue', bold: true } },
      { text: row },
    ];
  });
  return { lines, cursor: { row: found.row - first, column: inset + found.column } };
}

/** Behind the last column there is no place to stand: the cursor waits on the next row. */
function place(rows: readonly string[], column: number, room: number): { row: number; column: number } {
  return column < room ? { row: rows.length - 1, column } : { row: rows.length, column: 0 };
}

/** Gives a grapheme as it is shown. The letters around a joiner decide if it is text. */
function visible(
  grapheme: string,
  [before = '', after = '']: [string | undefined, string | undefined],
): string {
  if (grapheme === '\t') return '    ';
  const around = `${before}${grapheme}${after}`;
  return /[\u200c\u200d]/.test(grapheme) && terminalSafe(around) === around
    ? grapheme
    : terminalSafe(grapheme);
}
