import type { Question } from '../app/question.js';
import type { State } from '../app/state.js';
import type { Appearance } from './render/line.js';
import type { Screen } from './render/live.js';

/** Shows the state of a conversation. Another drawing can take its place without touching the rest. */
export interface Drawing {
  /** Shows what is new. `isUrgent` false: it may wait a moment for more. */
  update(state: State, isUrgent?: boolean): void;
  /** True when part of a question does not fit on the screen. */
  isLong(question: Question): boolean;
  /** The screen has another size; or it is fresh: someone else has written on it. */
  redraw(state: State, how?: { isFresh: boolean }): void;
  /** Empties the screen, where that is possible. */
  clear(state: State): void;
  /** Nothing changes any more: the cursor goes below everything. */
  close(): void;
}

export interface DrawingOptions {
  write(text: string): void;
  screen(): Screen;
  appearance: Appearance;
}
