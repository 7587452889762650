import type { Clock } from '../host/host.js';

export interface Limit {
  clock: Clock;
  limitMs: number;
  signal: AbortSignal;
  /** What to throw when the time is up. */
  onLimit(): Error;
}

/**
 * Runs the work with a signal that fires at the limit or with the caller's. Does not wait for work that ignores the
 * signal.
 */
export async function withinLimit<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  { clock, limitMs, signal, onLimit }: Limit,
): Promise<Result> {
  signal.throwIfAborted();
  const controller = new AbortController();
  const settled = new AbortController();
  const aborted = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true });
  });
  const forward = () => controller.abort(signal.reason);
  signal.addEventListener('abort', forward, { once: true });
  clock.sleep(limitMs, settled.signal).then(
    () => controller.abort(onLimit()),
    () => undefined,
  );
  try {
    const working = work(controller.signal);
    working.catch(() => undefined);
    return await Promise.race([working, aborted]);
  } finally {
    settled.abort();
    signal.removeEventListener('abort', forward);
  }
}
