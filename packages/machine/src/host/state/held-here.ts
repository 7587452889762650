/** The locks that this process holds itself: of those who wait here for one, the first in line is woken when it is let go. */
export interface HeldHere {
  /** The text of the lock, which says who owns it; undefined where this process does not hold it. */
  ownerOf(path: string): string | undefined;
  taken(path: string, owner: string): void;
  letGo(path: string): void;
  /** Wakes another in place of one who was woken and does not want the lock any more. */
  passOn(path: string): void;
  /** Wakes once, when the lock is let go and nobody stands before in the line. Whoever waits again stands at its end. */
  whenLetGo(path: string, wake: () => void): { forget(): void };
}

export function createHeldHere(): HeldHere {
  const owners = new Map<string, string>();
  const waiting = new Map<string, Set<() => void>>();
  const forget = (path: string, wake: () => void): void => {
    const others = waiting.get(path);
    others?.delete(wake);
    if (others?.size === 0) waiting.delete(path);
  };
  const wakeFirst = (path: string): void => {
    const [first] = waiting.get(path) ?? [];
    if (!first) return;
    forget(path, first);
    first();
  };
  return {
    ownerOf: (path) => owners.get(path),
    taken: (path, owner) => void owners.set(path, owner),
    letGo(path) {
      owners.delete(path);
      wakeFirst(path);
    },
    passOn(path) {
      // Whoever has taken it meanwhile wakes the next.
      if (!owners.has(path)) wakeFirst(path);
    },
    whenLetGo(path, wake) {
      const others = waiting.get(path) ?? new Set();
      waiting.set(path, others.add(wake));
      return { forget: () => forget(path, wake) };
    },
  };
}
