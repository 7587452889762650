import type { StyledLine } from './line.js';

export interface Screen {
  columns: number;
  rows: number;
}

/** The part of the screen that is drawn again and again: never taller than the screen. */
export interface Frame {
  lines: readonly StyledLine[];
  /** Null hides it. */
  cursor: { row: number; column: number } | null;
}
