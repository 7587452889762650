/** One process as the system lists it. */
export interface ProcessRow {
  pid: number;
  parent: number;
  group: number;
  session: number;
  /** With the id, unique until the next boot. */
  start: string;
  /** Ended, and only its entry is left until its parent looks. */
  isGone: boolean;
}

/** How a process is known for ours after its parents are gone. */
export interface Mark {
  /** Stands in its environment; lost when it clears that, or writes its title over it as many servers do. */
  text: string;
  /** The first digits of its soft limit of file locks: inherited by all, used by nothing, readable for everyone. */
  digits: string;
}

/** So many digits that no limit of anyone else looks like it, and few enough for every shell to count with. */
export const MARK_DIGITS = 15;

export interface ProcessTable {
  /** All processes; with `after`, only those that are not surely older than that process. */
  rows(after?: number): Promise<ProcessRow[]>;
  /** One of them; null when there is no such process. */
  rowOf(pid: number): Promise<ProcessRow | null>;
  /** Whether a process carries one of both signs. False where we may not look. */
  carries(pid: number, mark: Mark): boolean;
  /** The command line for a person, cut short. Empty when it has ended. */
  commandOf(pid: number): Promise<string>;
  /**
   * The memory that these processes have to themselves, in bytes; null where the system does not tell. `exactly`: what
   * several of them share is counted once, which takes longer.
   */
  memoryOf(pids: readonly number[], options?: { exactly: boolean }): number | null;
  /** The TCP ports that these processes listen on; null where the system does not tell. */
  portsOf(pids: readonly number[]): number[] | null;
}
