import type { Ended, RunOptions } from '../../host/processes/processes.js';

/** A program that stands behind a tool. */
export interface Program {
  /** The program and its arguments. */
  words: readonly string[];
  /** Absolute; the workspace. */
  directory: string;
  /** What it may do where programs are confined: change the workspace, reach the network. */
  access: ProgramAccess;
  /** What it must be able to read outside the workspace, such as its own file; absolute. */
  readable?: readonly string[];
}

export interface ProgramAccess {
  write: boolean;
  network: boolean;
}

/** Runs a program confined like a shell command; see `Processes.run`. */
export type RunProgram = (program: Program, options: RunOptions) => Promise<Ended>;

/** Like a shell command that was not asked about the network. */
export const usualAccess: ProgramAccess = { write: true, network: false };

/** For the question before a program runs: `confined by bubblewrap 0.8.0`, or why it is not. */
export type Confinement = (signal: AbortSignal) => Promise<string>;
