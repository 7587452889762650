import type { SandboxNetwork } from '@toolwright/machine/host/sandbox/sandbox.js';
import type { CheckSetup } from './check-setup.js';

export interface CheckEnd {
  exitCode: number | null;
  output: string;
}

/** A check of the sandbox from inside: an attempt to break a guarantee, or to use something that must work. */
export interface SandboxCheck {
  guarantee: string;
  attempt: string;
  /** Runs before the sandbox is made. */
  prepare?(setup: CheckSetup): void;
  /** The script that bash runs inside. Exits with 77 when a program that it needs is missing. */
  script(setup: CheckSetup): string;
  /** Judges from outside, once the sandbox is gone; a text says what was broken. */
  holds(end: CheckEnd, setup: CheckSetup): boolean | string;
  network?(setup: CheckSetup): SandboxNetwork;
  /** The kernel needs a moment before the guarantee holds. */
  settles?: true;
}
