import { unlessAborted } from '@toolwright/machine/host/deadline.js';
import type { Clock } from '@toolwright/machine/host/host.js';

const SLICE_MS = 200;

export interface Limit {
  clock: Clock;
  limitMs: number;
  signal: AbortSignal;
  /** While somebody is being asked the time is not up; afterwards it starts again. */
  isPaused?(): boolean;
  /** Makes the error to throw when the time is up. */
  onLimit(): Error;
}

/**
 * Runs the work with a signal that fires at the limit or with the caller's. Does not wait for work that ignores the
 * signal.
 */
export async function withinLimit<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  limit: Limit,
): Promise<Result> {
  const { signal, onLimit } = limit;
  signal.throwIfAborted();
  const controller = new AbortController();
  const settled = new AbortController();
  const forward = () => controller.abort(signal.reason);
  signal.addEventListener('abort', forward, { once: true });
  timeUp(limit, settled.signal).then(
    () => controller.abort(onLimit()),
    () => undefined,
  );
  try {
    return await unlessAborted(work(controller.signal), controller.signal);
  } finally {
    settled.abort();
    signal.removeEventListener('abort', forward);
  }
}

async function timeUp({ clock, limitMs, isPaused }: Limit, settled: AbortSignal): Promise<void> {
  await clock.sleep(limitMs, settled);
  while (isPaused?.()) {
    while (isPaused()) await clock.sleep(SLICE_MS, settled);
    await clock.sleep(limitMs, settled);
  }
}
