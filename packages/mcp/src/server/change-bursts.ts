import type { Clock } from '@toolwright/machine/host/host.js';
import type { McpListKind } from '../contract/connection.js';

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 30_000;
/** After so long without a change the next one is an ordinary one. */
const CALM_MS = 10_000;

export interface ChangeBursts {
  changed(what: McpListKind): void;
  listen(listener: (what: McpListKind) => void): () => void;
  stop(): void;
}

/**
 * A burst of changes is heard once, a moment after its first. For a server that goes on the moment grows: some answer
 * each listing with another change.
 */
export function createChangeBursts(clock: Clock): ChangeBursts {
  const listeners = new Set<(what: McpListKind) => void>();
  const waiting = new Set<McpListKind>();
  const heard = new Map<McpListKind, { at: number; waitMs: number }>();
  const stopped = new AbortController();

  async function announceLater(what: McpListKind): Promise<void> {
    const waitMs = nextWait(heard.get(what), clock.now());
    try {
      await clock.sleep(waitMs, stopped.signal);
    } catch {
      return;
    }
    waiting.delete(what);
    heard.set(what, { at: clock.now(), waitMs });
    for (const listener of listeners) listener(what);
  }

  return {
    changed(what) {
      if (stopped.signal.aborted || waiting.has(what)) return;
      waiting.add(what);
      void announceLater(what);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop() {
      stopped.abort();
      listeners.clear();
    },
  };
}

function nextWait(last: { at: number; waitMs: number } | undefined, now: number): number {
  if (!last || now - last.at >= CALM_MS) return FIRST_WAIT_MS;
  return Math.min(last.waitMs * 2, LONGEST_WAIT_MS);
}
