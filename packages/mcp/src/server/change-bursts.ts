import type { Clock } from '@toolwright/machine/host/host.js';

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 30_000;
/** A change after this pause begins a new burst. */
const CALM_MS = 10_000;

export interface ChangeBursts {
  changed(): void;
  stop(): void;
}

/**
 * Announces a burst of changes once, a moment after its first. For a server that goes on the moment grows: some answer
 * each listing with another change.
 */
export function createChangeBursts(clock: Clock, announce: () => void): ChangeBursts {
  const stopped = new AbortController();
  let isWaiting = false;
  let last = { at: Number.NEGATIVE_INFINITY, waitMs: 0 };

  async function announceLater(): Promise<void> {
    const isCalm = clock.now() - last.at >= CALM_MS;
    const waitMs = isCalm ? FIRST_WAIT_MS : Math.min(last.waitMs * 2, LONGEST_WAIT_MS);
    await clock.sleep(waitMs, stopped.signal);
    isWaiting = false;
    last = { at: clock.now(), waitMs };
    announce();
  }

  return {
    changed() {
      if (stopped.signal.aborted || isWaiting) return;
      isWaiting = true;
      announceLater().catch(() => undefined);
    },
    stop: () => stopped.abort(),
  };
}
