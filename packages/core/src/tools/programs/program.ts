import type { Ended, RunOptions } from '@toolwright/machine/host/processes/processes.js';
import type { SandboxState } from '@toolwright/machine/host/sandbox/sandbox.js';

export interface Program {
  /** The program and its arguments. */
  words: readonly string[];
  /** Absolute; the workspace. */
  directory: string;
  /** The program's rights where programs are confined: to change the workspace, to reach the network. */
  access: ProgramAccess;
  /** Paths outside the workspace that it must be able to read, such as its own file; absolute. */
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

/** Tells whether programs are confined, and by what or why not. */
export type ConfinementState = (signal: AbortSignal) => Promise<Pick<SandboxState, 'confined' | 'sentence'>>;
