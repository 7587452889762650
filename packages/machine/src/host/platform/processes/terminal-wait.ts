/**
 * What a process does with its terminal: it sleeps in a read of it; it sleeps until one of several things happens, as
 * programs with an event loop do; it runs for another user, so that nobody can tell; or it does something else.
 */
export type TerminalWait = 'reads' | 'polls' | 'hidden' | 'busy';

export interface TerminalWaits {
  /** For a process in the foreground of the terminal; null for one in the background. */
  waitOf(pid: number, terminal: string): TerminalWait | null;
  /** Whether what is typed is shown, and whether it comes by whole lines. Null when that can't be seen. */
  modeOf(terminal: string): Promise<{ echo: boolean; lines: boolean } | null>;
}
