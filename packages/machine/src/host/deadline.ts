import { setMaxListeners } from 'node:events';
import type { Clock } from './host.js';

/**
 * The limits of time, one for each kind of work:
 * - `deadlineIn` for work that listens to a signal: it stops itself at the deadline.
 * - `withinDeadline` for work that may hang and hears no signal: the waiting ends, the work goes on.
 * - `unlessAborted` for work that others wait for as well: only this waiting ends.
 * - `withController` for work that may be stopped by itself, too.
 */

/** Milliseconds of a clock that nobody sets; only differences mean something. `performance` says the same, but loads nine modules of Node first. */
export function steadyNow(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}

/** A signal that aborts at the deadline, or with the given signal before. */
export function deadlineIn(ms: number, signal?: AbortSignal): AbortSignal {
  const deadline = AbortSignal.timeout(ms);
  return signal ? AbortSignal.any([signal, deadline]) : deadline;
}

export interface Deadline {
  ms: number;
  clock: Pick<Clock, 'sleep'>;
  /** Ends the waiting early, as the deadline would. */
  signal?: AbortSignal;
}

/** The result of work that may hang, or null when the deadline comes first. Late work goes on, and nobody hears of its failure. */
export async function withinDeadline<Result>(
  work: Promise<Result>,
  { ms, clock, signal }: Deadline,
): Promise<Result | null> {
  const over = new AbortController();
  const until = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  const late = clock.sleep(ms, until).then(
    () => null,
    () => null,
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    // Pass a reason: the default builds an Error with a stack.
    over.abort('over');
  }
}

/**
 * Runs work with a controller of its own, which also aborts with the signal. Unlike `AbortSignal.any` it leaves nothing
 * on the signal, which may live as long as the session.
 */
export async function withController<Result>(
  signal: AbortSignal,
  work: (controller: AbortController) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const stop = (): void => controller.abort(signal.reason);
  if (signal.aborted) stop();
  else onAbort(signal, stop);
  try {
    return await work(controller);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Resolves once the signal has aborted. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else onAbort(signal, resolve);
  });
}

/** The result of work, unless the signal aborts first: then rejects with its reason, and the work goes on for others. */
export async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else onAbort(signal, stop);
  });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Dozens of calls may run side by side under one signal; Node would take more than ten listeners for a leak, and warn the user. */
export function onAbort(signal: AbortSignal, stop: () => void): void {
  setMaxListeners(0, signal);
  signal.addEventListener('abort', stop, { once: true });
}
