import type { QuestionSize } from '../app/asking/open-question.js';
import type { Question } from '../app/question.js';
import type { State } from '../app/state.js';
import type { Screen } from './render/frame.js';
import type { Appearance } from './render/line.js';

/** Shows the state of a conversation. Another drawing can take its place without touching the rest. */
export interface Drawing {
  /** Shows what is new. `isUrgent` false: it may wait a moment for more. */
  update(state: State, isUrgent?: boolean): void;
  /** Measures a question: its lines, and the room there is for them. */
  measure(question: Question): QuestionSize;
  /** The screen has another size; or it is fresh: someone else has written on it. */
  redraw(state: State, how?: { isFresh: boolean }): void;
  /** Empties the screen, where that is possible. */
  clear(state: State): void;
  /** Finds blocks by rows of the screen as it is now, once the terminal has told in which of them its cursor is. */
  pointing(): (at: { row: number; cursorRow: number }) => number | null;
  /** Ends the drawing: the cursor goes below everything. */
  close(): void;
}

export interface DrawingOptions {
  write(text: string): void;
  screen(): Screen;
  appearance: Appearance;
  /** The terminal breaks lines anew when it gets narrower; default: yes, as most do. */
  reflows?: boolean;
  /** True for tmux, for which an erased line is as wide as it was. */
  keepsErased?: boolean;
}
