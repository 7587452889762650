import { plural } from '@toolwright/machine/base/amounts.js';

/** The number of sessions of a race that run at the same time, and why. */
export interface SideBySide {
  /** Sessions that run at the same time. */
  atOnce: number;
  /** Why it is not all of them, as a sentence; null when it is. */
  why: string | null;
}

/** A session mostly waits for its model, so two share a core; its commands need room. */
const SESSIONS_PER_CORE = 2;
const BYTES_PER_SESSION = 1024 ** 3;

/** Sessions that this machine can run side by side without one of them standing in the way of the others. */
export function sideBySide(
  sessions: number,
  { cores, freeBytes }: { cores: number; freeBytes: number },
): SideBySide {
  const byCores = Math.max(1, cores * SESSIONS_PER_CORE);
  const byMemory = Math.max(1, Math.floor(freeBytes / BYTES_PER_SESSION));
  const atOnce = Math.min(sessions, byCores, byMemory);
  if (atOnce === sessions) return { atOnce, why: null };
  const reason =
    byMemory < byCores
      ? `${(freeBytes / BYTES_PER_SESSION).toFixed(1)} GB of memory are free, and each may need 1 GB`
      : `this machine has ${plural(cores, 'core')}`;
  return { atOnce, why: `${atOnce} of ${sessions} sessions run at a time: ${reason}.` };
}
