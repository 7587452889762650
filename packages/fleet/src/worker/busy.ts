const LEAST_MS = 1_000;
const EACH_MS = 100;
const LONGEST_MS = 300_000;

/** Tasks that were put off because their limit was reached. */
export interface Busy {
  /** The time for which a task is put off, to which chance may add half. */
  delayOf(id: string): number;
  /** It waits no more. */
  free(id: string): void;
}

/** A task that was put off has come to somebody after so many times its delay: where it was another worker, this one hears nothing of it. */
const COME_BACK = 2;

/**
 * The more tasks wait for a place, the longer each is put off: however many there are, one comes back in a tenth of a second, and
 * the store is asked no more often than that.
 */
export function createBusy(now: () => number): Busy {
  const waiting = new Map<string, number>();
  let lookedAt = now();

  function forgetTaken(present: number): void {
    if (present - lookedAt < LEAST_MS) return;
    lookedAt = present;
    for (const [id, until] of waiting) if (until < present) waiting.delete(id);
  }

  return {
    delayOf(id) {
      const present = now();
      forgetTaken(present);
      const size = waiting.size + (waiting.has(id) ? 0 : 1);
      const delayMs = Math.min(LONGEST_MS, Math.max(LEAST_MS, size * EACH_MS));
      waiting.set(id, present + delayMs * COME_BACK);
      return delayMs;
    },
    free: (id) => void waiting.delete(id),
  };
}
