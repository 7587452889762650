import { type AbortReason, describeAbort, ToolError } from '@toolwright/machine/base/errors.js';
import type { Clock } from '@toolwright/machine/host/host.js';

export interface TimeLimit {
  clock: Clock;
  signal: AbortSignal;
  /** The work is asked to stop after this time … */
  limitMs: number;
  /** … and after a stop is given up on when it has not settled in this time. */
  graceMs: number;
}

/** Runs work that may hang: it ends on its own, or is aborted, or is left behind. Never waits for ever. */
export async function withTimeLimit<Result>(
  limit: TimeLimit,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { clock, signal } = limit;
  const controller = new AbortController();
  const timers = new AbortController();
  const stop = (): void => controller.abort(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  const timeout: AbortReason = { kind: 'timeout' };
  clock.sleep(limit.limitMs, timers.signal).then(
    () => controller.abort(timeout),
    () => undefined,
  );
  try {
    return await Promise.race([
      startedWork(work, controller.signal),
      abandoned(limit, controller.signal, timers.signal),
    ]);
  } finally {
    // A reason given is one that need not be made: the default is an error with a stack.
    timers.abort('done');
    signal.removeEventListener('abort', stop);
  }
}

/** A tool that throws before it returns a promise is no different from one that rejects. */
async function startedWork<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  return work(signal);
}

async function abandoned(limit: TimeLimit, signal: AbortSignal, timers: AbortSignal): Promise<never> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await limit.clock.sleep(limit.graceMs, timers);
  const code = signal.reason?.kind === 'timeout' ? 'timeout' : 'cancelled';
  throw new ToolError(
    code,
    `The call was ${describeAbort(signal)}. It did not stop when told to and was left behind.`,
  );
}
