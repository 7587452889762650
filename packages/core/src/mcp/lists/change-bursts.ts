import type { Clock } from '../../host/host.js';
import type { McpListKind } from '../connection.js';

const QUIET_MS = 100;
const LONGEST_MS = 1_000;

export interface ChangeBursts {
  changed(what: McpListKind): void;
  listen(listener: (what: McpListKind) => void): () => void;
  stop(): void;
}

/** A server that changes its lists often is heard once per burst, and at least once a second. */
export function createChangeBursts(clock: Clock): ChangeBursts {
  const listeners = new Set<(what: McpListKind) => void>();
  const pending = new Map<McpListKind, { since: number; again: AbortController }>();
  const stopped = new AbortController();

  async function announceLater(what: McpListKind, since: number, again: AbortController): Promise<void> {
    const wait = Math.max(0, Math.min(QUIET_MS, since + LONGEST_MS - clock.now()));
    try {
      await clock.sleep(wait, again.signal);
    } catch {
      return;
    }
    pending.delete(what);
    for (const listener of listeners) listener(what);
  }

  return {
    changed(what) {
      if (stopped.signal.aborted) return;
      const waiting = pending.get(what);
      waiting?.again.abort();
      const since = waiting?.since ?? clock.now();
      const again = new AbortController();
      pending.set(what, { since, again });
      void announceLater(what, since, again);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop() {
      stopped.abort();
      for (const { again } of pending.values()) again.abort();
      pending.clear();
      listeners.clear();
    },
  };
}
