import type { State } from '../app/state.js';
import type { Drawing, DrawingOptions } from './drawing.js';
import { createLiveLines } from './live-lines.js';
import { measureQuestion } from './render/asking/question.js';
import type { Frame } from './render/frame.js';
import type { StyledLine } from './render/line.js';
import { type LivePlace, renderLive } from './render/live.js';
import { type Colors, createColors } from './render/wanted-colors.js';
import { createScrollback, type Scrollback } from './scrollback.js';

/** Deltas that come within this time are drawn together. */
const FRAME_MS = 30;

/** Prints what is finished and keeps the rest in a few lines below it, which are drawn again in place. */
export function createLiveDrawing(options: DrawingOptions): Drawing {
  const { write, screen, appearance, reflows = true } = options;
  const colors = createColors(appearance, () => latest && redraw(latest));
  const scrollback = createScrollback({ appearance, colors });
  const pictures = createPictures(options, { scrollback, colors });
  let timer: NodeJS.Timeout | undefined;
  let latest: State | undefined;
  let printed: State['blocks'] | undefined;

  function draw(state: State): void {
    clearTimeout(timer);
    timer = undefined;
    latest = state;
    printed = state.blocks;
    pictures.draw(state, scrollback.take(state, screen()));
  }

  const redraw: Drawing['redraw'] = (state, how = { isFresh: false }) => {
    pictures.drawAgain(how);
    draw(state);
  };
  return {
    update(state, isUrgent = true) {
      latest = state;
      if (!isUrgent) timer ??= setTimeout(() => latest && draw(latest), FRAME_MS);
      // A key does not wait for the text that streams in: that has its own picture soon.
      else if (timer && state.blocks === printed) pictures.draw(state, []);
      else draw(state);
    },
    measure: (question) => measureQuestion(question, { screen: screen(), appearance }),
    redraw,
    clear(state) {
      write('\x1b[2J\x1b[H');
      redraw(state, { isFresh: true });
    },
    pointing() {
      const below = pictures.cursorRow();
      const blockAbove = scrollback.rows({ columns: reflows ? screen().columns : Number.POSITIVE_INFINITY });
      return ({ row, cursorRow }) => blockAbove(cursorRow - below - row);
    },
    close() {
      clearTimeout(timer);
      const held = latest ? scrollback.take(latest, screen(), { isEnd: true }) : [];
      if (latest && held.length > 0) pictures.draw(latest, held);
      pictures.close();
      latest = undefined;
    },
  };
}

/** Draws the lines that can change, on the screen as wide as it is now. */
function createPictures(
  options: DrawingOptions,
  { scrollback, colors }: { scrollback: Scrollback; colors: Colors },
) {
  const { write, screen, appearance, reflows = true, keepsErased } = options;
  const live = createLiveLines({ write, appearance, keepsErased });
  let drawnAt = 0;
  return {
    draw(state: State, finished: readonly StyledLine[]): void {
      const size = screen();
      // The terminal itself has broken the lines of a screen that became narrower.
      if (reflows && size.columns < drawnAt) live.broken(size.columns);
      drawnAt = size.columns;
      const frame = colors.passing(() => frameOf(state, scrollback, { screen: size, appearance }));
      live.draw(finished, frame);
    },
    drawAgain(how: { isFresh: boolean }): void {
      if (how.isFresh) {
        drawnAt = 0;
        scrollback.forgetRows();
      }
      live.drawAgain(how);
    },
    cursorRow: (): number => live.cursorRow,
    close: live.close,
  };
}

function frameOf(state: State, scrollback: Scrollback, place: LivePlace): Frame {
  const airAbove = scrollback.hasAirBefore('call');
  return renderLive(state, scrollback.open(place.screen), { ...place, airAbove });
}
