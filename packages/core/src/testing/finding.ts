/** Something a tool does that its users would suffer from. */
export interface Finding {
  /** Short and stable, for tables: `schema-subset`, `aborted-work` … */
  check: string;
  level: 'error' | 'warning';
  /** A sentence: the fault, its place, and the remedy. */
  message: string;
}

export function finding(check: string, message: string, level: Finding['level'] = 'error'): Finding {
  return { check, level, message };
}
