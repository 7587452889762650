import type { Clock } from '@toolwright/machine/host/host.js';

export interface CallClockOptions {
  clock: Clock;
  idleMs: number;
  hardMs: number;
  /** While somebody is being asked, time does not count. */
  isPaused(): boolean;
  onLimit(limit: 'idle' | 'hard'): void;
}

export interface CallClock {
  /** The server has told progress of the call. */
  progress(): void;
  stop(): void;
}

const SLICE_MS = 500;

/** Two limits: the silence that progress ends, and the whole call, which nothing prolongs. */
export function startCallClock({ clock, idleMs, hardMs, isPaused, onLimit }: CallClockOptions): CallClock {
  const stopped = new AbortController();
  let silentSince = clock.now();
  let worked = 0;

  async function watch(): Promise<void> {
    while (true) {
      const before = clock.now();
      const left = Math.min(silentSince + idleMs - before, hardMs - worked);
      await clock.sleep(Math.max(1, Math.min(SLICE_MS, left)), stopped.signal);
      const now = clock.now();
      if (isPaused()) {
        silentSince = now;
        continue;
      }
      worked += now - before;
      if (worked >= hardMs) return onLimit('hard');
      if (now - silentSince >= idleMs) return onLimit('idle');
    }
  }

  void watch().catch(() => undefined);
  return {
    progress() {
      silentSince = clock.now();
    },
    stop: () => stopped.abort(),
  };
}
