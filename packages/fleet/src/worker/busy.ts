const LEAST_MS = 1_000;
const EACH_MS = 100;
const LONGEST_MS = 300_000;

/** Tasks that were put off because their limit was reached. */
export interface Busy {
  /** The time for which a task is put off. */
  delayOf(id: string): number;
  /** It has a place now. */
  free(id: string): void;
}

/**
 * The more tasks wait for a place, the longer each is put off: however many there are, one comes back in a tenth of a second, and
 * the store is asked no more often than that.
 */
export function createBusy(): Busy {
  const waiting = new Set<string>();
  return {
    delayOf(id) {
      waiting.add(id);
      return Math.min(LONGEST_MS, Math.max(LEAST_MS, waiting.size * EACH_MS));
    },
    free: (id) => void waiting.delete(id),
  };
}
