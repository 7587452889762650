/** Something a tool does that its users would suffer from. */
export interface Finding {
  /** Short and stable, for tables: `schema-subset`, `aborted-work` … */
  check: string;
  level: 'error' | 'warning';
  /** What is wrong, where, and what to do about it. */
  message: string;
}

export function finding(check: string, message: string, level: Finding['level'] = 'error'): Finding {
  return { check, level, message };
}
