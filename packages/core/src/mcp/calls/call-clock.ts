import type { Clock } from '../../host/host.js';

export interface CallClockOptions {
  clock: Clock;
  idleMs: number;
  hardMs: number;
  /** While somebody is being asked, time does not count. */
  isPaused(): boolean;
  onLimit(limit: 'idle' | 'hard'): void;
}

export interface CallClock {
  /** Something was heard of the call. */
  progress(): void;
  stop(): void;
}

const SLICE_MS = 500;

/** Two limits: the silence that progress ends, and the whole call, which nothing prolongs. */
export function startCallClock({ clock, idleMs, hardMs, isPaused, onLimit }: CallClockOptions): CallClock {
  const stopped = new AbortController();
  let idle = 0;
  let worked = 0;

  async function watch(): Promise<void> {
    while (true) {
      const before = clock.now();
      await clock.sleep(Math.min(SLICE_MS, idleMs - idle, hardMs - worked), stopped.signal);
      if (isPaused()) {
        idle = 0;
        continue;
      }
      const passed = Math.max(1, clock.now() - before);
      idle += passed;
      worked += passed;
      if (worked >= hardMs) return onLimit('hard');
      if (idle >= idleMs) return onLimit('idle');
    }
  }

  void watch().catch(() => undefined);
  return {
    progress() {
      idle = 0;
    },
    stop: () => stopped.abort(),
  };
}
