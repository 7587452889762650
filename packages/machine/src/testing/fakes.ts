import type { Clock, Ids } from '../host/host.js';

/** Time that stands still until a test moves it. */
export interface FakeClock extends Clock {
  advance(ms: number): void;
}

/** A clock whose time passes only when the test says so. */
export function createFakeClock(start = Date.UTC(2030, 0, 1)): FakeClock {
  let time = start;
  const sleepers = new Set<{ until: number; wake(): void }>();
  return {
    now: () => time,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason);
          return;
        }
        const stop = () => {
          sleepers.delete(sleeper);
          reject(signal?.reason);
        };
        const sleeper = {
          until: time + ms,
          wake() {
            sleepers.delete(sleeper);
            signal?.removeEventListener('abort', stop);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', stop, { once: true });
        if (ms <= 0) sleeper.wake();
      }),
    advance(ms) {
      time += ms;
      const due = [...sleepers].filter((sleeper) => sleeper.until <= time).sort((a, b) => a.until - b.until);
      for (const sleeper of due) sleeper.wake();
    },
  };
}

/** `id-0001`, `id-0002` …, and numbers that are random but the same in every run. */
export function createFixedIds(prefix = 'id'): Ids {
  let count = 0;
  let state = 0x9e3779b9;
  return {
    next: () => `${prefix}-${String(++count).padStart(4, '0')}`,
    random() {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return (state >>> 0) / 2 ** 32;
    },
  };
}
