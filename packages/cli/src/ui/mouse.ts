import type { AppEvent, UserEvent } from '../app/events.js';
import type { Key } from '../app/key.js';
import { hasFolded, type State } from '../app/state.js';
import type { Drawing } from './drawing.js';

/** A report of the mouse, or of the cursor's place when it was asked for. Rows and columns count from 1. */
export type MouseReport =
  | {
      name: 'mouse';
      what: 'pressed' | 'released' | 'wheel-up' | 'wheel-down';
      row: number;
      column: number;
    }
  | { name: 'cursor'; row: number };

export const mouseModes = { on: '\x1b[?1000h\x1b[?1006h', off: '\x1b[?1006l\x1b[?1000l' };
const WHERE_IS_THE_CURSOR = '\x1b[6n';
const YIELDED = 'The mouse now selects and scrolls; press any key to click here again.';
const WHEEL_LINES = 3;

/**
 * Unfolds blocks on a click. A terminal that reports clicks neither selects text nor scrolls by itself, so the first wheel or drag
 * that has no use here gives the mouse back until the next key.
 */
export interface Mouse {
  heard(report: MouseReport): void;
  /** A key was pressed. */
  typed(): void;
}

export interface MouseNeeds {
  write(text: string): void;
  drawing: Drawing;
  state(): State;
  dispatch(event: AppEvent): void;
  /** Acts on a key: the wheel scrolls questions and lists like the arrow keys. */
  press(key: Key): void;
}

export function createMouse({ write, drawing, state, dispatch, press }: MouseNeeds): Mouse {
  let isYielded = false;
  let pressedAt = { row: 0, column: 0 };
  /** The click that waits for the terminal to tell where its cursor is. */
  let find: ((cursorRow: number) => number | null) | null = null;

  function giveBack(): void {
    if (isYielded) return;
    isYielded = true;
    write(mouseModes.off);
    dispatch({ type: 'hinted', hint: YIELDED });
  }
  function turn(name: 'up' | 'down'): void {
    const { question, typing } = state();
    if (question) for (let line = 0; line < WHEEL_LINES; line++) press({ name });
    else if (typing.picker) press({ name });
    else giveBack();
  }
  function click(row: number): void {
    const blockAt = drawing.pointing();
    find = (cursorRow) => blockAt({ row, cursorRow });
    write(WHERE_IS_THE_CURSOR);
  }
  function found(cursorRow: number): void {
    const id = find?.(cursorRow) ?? null;
    find = null;
    const event = unfolding(state(), id);
    if (event) dispatch(event);
  }

  return {
    heard(report) {
      if (report.name === 'cursor') return found(report.row);
      if (report.what === 'wheel-up') return turn('up');
      if (report.what === 'wheel-down') return turn('down');
      if (report.what === 'pressed') pressedAt = report;
      else if (report.row === pressedAt.row && report.column === pressedAt.column) click(report.row);
      else giveBack();
    },
    typed() {
      if (isYielded) write(mouseModes.on);
      isYielded = false;
    },
  };
}

/** Prints the block whole below what is there, or nothing where it is whole already. */
function unfolding({ blocks, question }: State, id: number | null): UserEvent | null {
  const block = blocks.find((each) => each.id === id);
  return block && !question && hasFolded(block) ? { type: 'unfold-asked', id: block.id } : null;
}
