import type { Frame } from './render/frame.js';
import { type Appearance, paint, type StyledLine, textOfLine, widthOf } from './render/line.js';

/**
 * A few lines at the end of the screen that are drawn again in place, below lines that are printed for good. Only those few lines
 * are ever rewritten, so nothing that scrolled away is lost or repeated.
 */
export interface LiveLines {
  /** Prints the finished lines and draws the frame below them, where anything is new. */
  draw(finished: readonly StyledLine[], frame: Frame): void;
  /** The next frame is drawn even if it is the same; fresh: where the cursor stands, because somebody else has written. */
  drawAgain(how: { isFresh: boolean }): void;
  /** The screen is this wide now, and broke the lines anew that were wider. */
  broken(columns: number): void;
  /** The number of rows from the first line of the frame down to the cursor. */
  readonly cursorRow: number;
  /** Removes the live lines and shows the cursor. */
  close(): void;
}

export interface LiveLinesNeeds {
  write(text: string): void;
  appearance: Appearance;
  /** An erased line still counts as wide as it was when the terminal breaks it: tmux. Deleted lines are new. */
  keepsErased?: boolean | undefined;
}

export function createLiveLines({ write, appearance, keepsErased = false }: LiveLinesNeeds): LiveLines {
  let cursorRow = 0;
  let height = 0;
  let shown = '';
  /** The width of each line that is drawn. */
  let widths: number[] = [];
  let cursorColumn = 0;

  /** Makes new lines of those that would stay wider than what is drawn on them. */
  function renewed(finished: readonly StyledLine[], next: readonly number[]): string {
    const isWider = widths.some((width, row) => width > (next[row] ?? 0));
    return keepsErased && (finished.length > 0 || isWider) ? DELETE_LINE.repeat(height) : '';
  }

  return {
    draw(finished, frame) {
      const { picture, row } = pictureOf(frame, appearance);
      const above = finished.map((spans) => `${paint(spans, appearance)}\x1b[K\r\n`).join('');
      if (above === '' && picture === shown) return;
      const next = frame.lines.map((spans) => widthOf(textOfLine(spans)));
      write(`\x1b[?25l\r${up(cursorRow)}${renewed(finished, next)}${above}${picture}`);
      cursorRow = row;
      cursorColumn = frame.cursor?.column ?? 0;
      shown = picture;
      widths = next;
      height = next.length;
    },
    broken(columns) {
      const rows = widths.map((width) => Math.max(1, Math.ceil(width / columns)));
      const above = rows.slice(0, cursorRow).reduce((sum, each) => sum + each, 0);
      height = rows.reduce((sum, each) => sum + each, 0);
      // In its own line only the text before the cursor moves it down.
      cursorRow = above + Math.floor(cursorColumn / columns);
    },
    get cursorRow() {
      return cursorRow;
    },
    drawAgain({ isFresh }) {
      if (isFresh) cursorRow = 0;
      if (isFresh) height = 0;
      shown = '';
    },
    close() {
      write(`\r${up(cursorRow)}\x1b[J\x1b[?25h`);
      cursorRow = 0;
      height = 0;
      shown = '';
    },
  };
}

const DELETE_LINE = '\x1b[M';

/** The text that draws the live lines and leaves the cursor in its place. */
function pictureOf({ lines, cursor }: Frame, appearance: Appearance): { picture: string; row: number } {
  const last = Math.max(0, lines.length - 1);
  const { row, column } = cursor ?? { row: last, column: 0 };
  const live = lines.map((spans) => `${paint(spans, appearance)}\x1b[K`).join('\r\n');
  const place = `\r${up(last - row)}${column > 0 ? `\x1b[${column}C` : ''}`;
  return { picture: `${live}\x1b[J${place}${cursor ? '\x1b[?25h' : ''}`, row };
}

function up(rows: number): string {
  return rows > 0 ? `\x1b[${rows}A` : '';
}
