/** A process in the system's list. */
export interface ProcessRow {
  pid: number;
  parent: number;
  group: number;
  session: number;
  /** Start time; with the pid, unique until the next boot. */
  start: string;
  /** True when it has ended and only its entry is left until its parent collects it. */
  isGone: boolean;
}

/** Recognises a process as ours after its parents are gone. */
export interface Mark {
  /**
   * A text in its environment; lost when the process clears that, or overwrites it with its title as many servers do.
   */
  text: string;
  /** First digits of its soft limit of file locks: inherited by all, used by nothing, readable for everyone. */
  digits: string;
}

/** The number of digits: no one else's limit looks like it, and every shell can calculate with it. */
export const MARK_DIGITS = 15;

export interface ProcessTable {
  /** Lists every process; with `after`, those that may be younger than that process. */
  rows(after?: number): Promise<ProcessRow[]>;
  /** Null when there is no such process. */
  rowOf(pid: number): Promise<ProcessRow | null>;
  /** True if the process carries either sign of the mark. False where we may not look. */
  carries(pid: number, mark: Mark): boolean;
  /** The command line as the user reads it, shortened. Empty when the process has ended. */
  commandOf(pid: number): Promise<string>;
  /**
   * Memory these processes have to themselves, in bytes; null where the system does not tell. With `exactly`, memory
   * that several of them share counts once, which takes longer.
   */
  memoryOf(pids: readonly number[], options?: { exactly: boolean }): number | null;
  /** TCP ports these processes listen on; null where the system does not tell. */
  portsOf(pids: readonly number[]): number[] | null;
}

/**
 * A process's use of its terminal. `reads`: it sleeps in a read. `polls`: it sleeps until one of several things happens, as event loops do.
 * `hidden`: it runs for another user, so nobody can tell. `busy`: anything else.
 */
export type TerminalWait = 'reads' | 'polls' | 'hidden' | 'busy';

export interface TerminalWaits {
  /** Null for a process in the background of the terminal. */
  waitOf(pid: number, terminal: string): TerminalWait | null;
  /** The mode of a terminal: is typed text echoed, does it arrive in whole lines? Null when that can't be seen. */
  modeOf(terminal: string): Promise<{ echo: boolean; lines: boolean } | null>;
}
