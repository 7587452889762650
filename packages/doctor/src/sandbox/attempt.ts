import type { SandboxNetwork } from '@toolwright/machine/host/sandbox/sandbox.js';
import type { AttemptWorld } from './attempt-world.js';

export interface AttemptEnd {
  exitCode: number | null;
  output: string;
}

/** One way to break a promise, or to use what is promised to work. */
export interface Attempt {
  promise: string;
  attempt: string;
  /** Before the sandbox is made. */
  prepare?(world: AttemptWorld): void;
  /** Run by bash inside. Exits with 77 when a program it needs is not there. */
  script(world: AttemptWorld): string;
  /** Looked at from outside, once the sandbox is gone; a text says what was broken. */
  holds(end: AttemptEnd, world: AttemptWorld): boolean | string;
  network?(world: AttemptWorld): SandboxNetwork;
  /** The kernel needs a moment until it holds. */
  settles?: true;
}
