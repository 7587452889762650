import { type Appearance, paint, type StyledLine } from './render/line.js';
import type { Frame } from './render/live.js';

/**
 * A few lines at the end of the screen that are drawn again in place, below lines that are printed for good. Only those few lines
 * are ever rewritten, so nothing that scrolled away is lost or repeated.
 */
export interface LiveLines {
  /** Prints the finished lines and draws the frame below them, where anything is new. */
  draw(finished: readonly StyledLine[], frame: Frame): void;
  /** The next frame is drawn even if it is the same; fresh: where the cursor stands, because somebody else has written. */
  drawAgain(how: { isFresh: boolean }): void;
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
  return {
    draw(finished, frame) {
      const { picture, row } = pictureOf(frame, appearance);
      const above = finished.map((spans) => `${paint(spans, appearance)}\x1b[K\r\n`).join('');
      if (above === '' && picture === shown) return;
      write(`\x1b[?25l\r${up(cursorRow)}${above}${picture}`);
      cursorRow = row;
      shown = picture;
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
