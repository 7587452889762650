/** A fault of a task file, with its place. */
export interface TaskFault {
  line: number;
  column: number;
  message: string;
}

/** A row of a file: its value, and where its fields stand. */
export interface SourceRow {
  value: unknown;
  /** The place of a field, or of the row for null. */
  placeOf(field: string | null): { line: number; column: number };
}

/** A row or a fault that a reader finds, in the order of the file. */
export type SourceEntry = { row: SourceRow } | { fault: TaskFault };

/** The text of a file, piece by piece. */
export type TextPieces = AsyncIterable<string>;

/** The longest row, in characters: a task is a message, and servers take no longer ones. */
export const LONGEST_ROW = 1_000_000;

export const tooLong = 'the row is longer than 1 MB';
