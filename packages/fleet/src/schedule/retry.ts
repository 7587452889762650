import type { TaskFailure } from './record.js';

/** The next step for a task that failed. */
export type NextStep =
  | { kind: 'again'; delayMs: number }
  | { kind: 'failed' }
  /** The task ends workers, or fails whenever it is tried. */
  | { kind: 'poison' }
  /** No task of this fleet could be done: everything stops. */
  | { kind: 'stop' };

const MOST_FAILURES = 5;
export const MOST_CRASHES = 5;
const BASE_MS = 2_000;
const LONGEST_MS = 300_000;

/** Kinds of failure that pass by themselves. */
const passing = ['overload', 'rate-limit', 'network', 'protocol', 'empty', 'clone'];

/** Decides by the kind of failure: what passes is tried again with growing pauses, a key that does not work stops the fleet. */
export function stepAfter(failure: TaskFailure, failures: number, random: () => number): NextStep {
  if (failure.kind === 'auth') return { kind: 'stop' };
  if (failure.kind === 'internal' && failures >= 2) return { kind: 'poison' };
  if (!passing.includes(failure.kind) && failure.kind !== 'internal') return { kind: 'failed' };
  if (failures >= MOST_FAILURES) return { kind: 'failed' };
  const ceiling = Math.min(LONGEST_MS, BASE_MS * 2 ** failures);
  const delay = ceiling / 2 + (ceiling / 2) * random();
  return { kind: 'again', delayMs: Math.round(Math.max(delay, failure.retryAfterMs ?? 0)) };
}
