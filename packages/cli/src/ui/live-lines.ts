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
  /** How many rows the cursor is below the first line of the frame. */
  readonly cursorRow: number;
  /** Removes the live lines and shows the cursor. */
  close(): void;
}

export function createLiveLines({
  write,
  appearance,
}: {
  write(text: string): void;
  appearance: Appearance;
}): LiveLines {
  let cursorRow = 0;
  let shown = '';
  /** Widths of the lines from the first down to the cursor. */
  let widths: number[] = [];
  return {
    draw(finished, frame) {
      const { picture, row } = pictureOf(frame, appearance);
      const above = finished.map((spans) => `${paint(spans, appearance)}\x1b[K\r\n`).join('');
      if (above === '' && picture === shown) return;
      write(`\x1b[?25l\r${up(cursorRow)}${above}${picture}`);
      cursorRow = row;
      shown = picture;
      const { cursor } = frame;
      widths = frame.lines.slice(0, row + 1).map((spans) => widthOf(textOfLine(spans)));
      // Of its own line only what stands before the cursor moves it down.
      widths[row] = cursor?.column ?? 0;
    },
    broken(columns) {
      cursorRow = widths.reduce(
        (rows, width, index) =>
          rows +
          (index === widths.length - 1
            ? Math.floor(width / columns)
            : Math.max(1, Math.ceil(width / columns))),
        0,
      );
    },
    get cursorRow() {
      return cursorRow;
    },
    drawAgain({ isFresh }) {
      if (isFresh) cursorRow = 0;
      shown = '';
    },
    close() {
      write(`\r${up(cursorRow)}\x1b[J\x1b[?25h`);
      cursorRow = 0;
      shown = '';
    },
  };
}

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
