import type { State } from '../app/state.js';
import type { Drawing, DrawingOptions } from './drawing.js';
import { createLiveLines } from './live-lines.js';
import { measureQuestion } from './render/asking/question.js';
import type { Frame } from './render/frame.js';
import { type LivePlace, renderLive } from './render/live.js';
import { createScrollback, type Scrollback } from './scrollback.js';

/** Many deltas in a row are one picture. */
const FRAME_MS = 30;

/** Prints what is finished and keeps the rest in a few lines below it, which are drawn again in place. */
export function createLiveDrawing(options: DrawingOptions): Drawing {
  const { write, screen, appearance, reflows = true, keepsErased } = options;
  const scrollback = createScrollback(appearance);
  const live = createLiveLines({ write, appearance, keepsErased });
  let timer: NodeJS.Timeout | undefined;
  let latest: State | undefined;
  let drawnAt = 0;

  function draw(state: State): void {
    clearTimeout(timer);
    timer = undefined;
    const size = screen();
    // A narrower screen has broken the lines already, whatever is drawn first.
    if (reflows && size.columns < drawnAt) live.broken(size.columns);
    drawnAt = size.columns;
    const finished = scrollback.take(state, size);
    live.draw(finished, frameOf(state, scrollback, { screen: size, appearance }));
  }

  const redraw: Drawing['redraw'] = (state, how = { isFresh: false }) => {
    if (how.isFresh) {
      drawnAt = 0;
      scrollback.forgetRows();
    }
    live.drawAgain(how);
    draw(state);
  };
  return {
    update(state, isUrgent = true) {
      latest = state;
      if (isUrgent) draw(state);
      else timer ??= setTimeout(() => latest && draw(latest), FRAME_MS);
    },
    measure: (question) => measureQuestion(question, { screen: screen(), appearance }),
    redraw,
    clear(state) {
      write('\x1b[2J\x1b[H');
      redraw(state, { isFresh: true });
    },
    pointing() {
      const { cursorRow: below } = live;
      const blockAbove = scrollback.rows({ columns: reflows ? screen().columns : Number.POSITIVE_INFINITY });
      return ({ row, cursorRow }) => blockAbove(cursorRow - below - row);
    },
    close() {
      clearTimeout(timer);
      live.close();
    },
  };
}

function frameOf(state: State, scrollback: Scrollback, place: LivePlace): Frame {
  const airAbove = scrollback.hasAirBefore('call');
  return renderLive(state, scrollback.open(place.screen), { ...place, airAbove });
}
