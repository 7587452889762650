/**
 * What a process does with its terminal. `reads`: it sleeps in a read. `polls`: it sleeps until one of several things
 * happens, as event loops do. `hidden`: it runs for another user, so nobody can tell. `busy`: anything else.
 */
export type TerminalWait = 'reads' | 'polls' | 'hidden' | 'busy';

export interface TerminalWaits {
  /** Null for a process in the background of the terminal. */
  waitOf(pid: number, terminal: string): TerminalWait | null;
  /** The mode of a terminal: is typed text echoed, does it arrive in whole lines? Null when that can't be seen. */
  modeOf(terminal: string): Promise<{ echo: boolean; lines: boolean } | null>;
}
