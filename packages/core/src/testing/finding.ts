/** Something a tool does that its users would suffer from. */
export interface Finding {
  /** Short and stable, for tables: `schema-subset`, `aborted-work` … */
  check: string;
  /** `note`: worth knowing, and no fault. */
  level: 'error' | 'warning' | 'note';
  /** A sentence: the fault, its place, and the remedy. */
  message: string;
  /** Files that a call changed although the tool says otherwise. */
  changed?: readonly string[];
}

export function finding(check: string, message: string, level: Finding['level'] = 'error'): Finding {
  return { check, level, message };
}

export function isFault({ level }: Finding): boolean {
  return level !== 'note';
}
