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

export interface SourceRows {
  rows: SourceRow[];
  faults: TaskFault[];
}
