/** The stages of an examination, in the order in which a server goes through them. */
export type DoctorStage =
  | 'start'
  | 'handshake'
  | 'list'
  | 'names'
  | 'schemas'
  | 'cost'
  | 'calls'
  | 'mistakes'
  | 'cancellation'
  | 'output'
  | 'end';

/** `problem`: it does not work, or not for everybody. `warning`: it works, but should be better. */
export type DoctorLevel = 'ok' | 'note' | 'warning' | 'problem';

/** Something that was found in an examination of a server. */
export interface DoctorFinding {
  stage: DoctorStage;
  level: DoctorLevel;
  what: string;
  /** A remedy, in whole sentences. */
  advice?: string;
  /** Set for a tool that says that it only reads and changed these files. */
  falseClaim?: { tool: string; changed: readonly string[] };
  /** The tool that says that it only reads, answered, and changed nothing. */
  trueClaim?: string;
}

/** The grade of a server's behaviour. */
export interface ServerExamination {
  server: string;
  /** The server's name for itself; empty when it did not get that far. */
  name: string;
  version: string;
  protocolVersion: string;
  tools: number;
  /** In milliseconds; null for what was not reached. */
  timings: { start: number | null; handshake: number | null; list: number | null; end: number | null };
  findings: DoctorFinding[];
  /** The last lines of its standard error. */
  stderr: string;
}

const MOST_NAMED = 5;

/** The first few names and the number of those left out. */
export function named(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMED).join(', ');
  return names.length > MOST_NAMED ? `${shown} and ${names.length - MOST_NAMED} more` : shown;
}
