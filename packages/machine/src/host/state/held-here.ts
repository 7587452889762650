/** The locks that this process holds itself: whoever waits here for one is woken when it is let go, in the order they came. */
export interface HeldHere {
  /** The text of the lock, which says who owns it; undefined where this process does not hold it. */
  ownerOf(path: string): string | undefined;
  taken(path: string, owner: string): void;
  letGo(path: string): void;
  /** Wakes once, when the lock is let go and nobody waits for longer. */
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
  return {
    ownerOf: (path) => owners.get(path),
    taken: (path, owner) => void owners.set(path, owner),
    letGo(path) {
      owners.delete(path);
      const [first] = waiting.get(path) ?? [];
      if (!first) return;
      forget(path, first);
      first();
    },
    whenLetGo(path, wake) {
      const others = waiting.get(path) ?? new Set();
      waiting.set(path, others.add(wake));
      return { forget: () => forget(path, wake) };
    },
  };
}
