import type { State } from '../app/state.js';
import type { Drawing, DrawingOptions } from './drawing.js';
import { type Appearance, paint } from './render/line.js';
import { type Frame, renderLive } from './render/live.js';
import { isLongQuestion } from './render/question.js';
import { createScrollback } from './scrollback.js';

/** Many deltas in a row are one picture. */
const FRAME_MS = 30;

/**
 * Prints what is finished and keeps the rest in a few lines below it, which are drawn again in place. Only
 * those few lines are ever rewritten, so nothing that scrolled away is lost or repeated.
 */
export function createLiveDrawing({ write, screen, appearance }: DrawingOptions): Drawing {
  const scrollback = createScrollback(appearance);
  let cursorRow = 0;
  let shown = '';
  let timer: NodeJS.Timeout | undefined;
  let latest: State | undefined;

  function draw(state: State): void {
    clearTimeout(timer);
    timer = undefined;
    const size = screen();
    const added = scrollback.take(state, size).map((spans) => paint(spans, appearance));
    const { picture, row } = pictureOf(
      renderLive(state, scrollback.open(size), { screen: size, appearance }),
      appearance,
    );
    const finished = added.map((text) => `${text}\x1b[K\r\n`).join('');
    if (finished === '' && picture === shown) return;
    write(`\x1b[?25l\r${up(cursorRow)}${finished}${picture}`);
    cursorRow = row;
    shown = picture;
  }

  return {
    update(state, isUrgent = true) {
      latest = state;
      if (isUrgent) draw(state);
      else timer ??= setTimeout(() => latest && draw(latest), FRAME_MS);
    },
    isLong: (question) => isLongQuestion(question, screen()),
    redraw(state, { isFresh } = { isFresh: false }) {
      if (isFresh) cursorRow = 0;
      shown = '';
      draw(state);
    },
    clear(state) {
      write('\x1b[2J\x1b[H');
      cursorRow = 0;
      shown = '';
      draw(state);
    },
    close() {
      clearTimeout(timer);
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
