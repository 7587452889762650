import { formatDuration } from './amounts.js';

/** How fast tasks end, and how long those that are left will take; null where none has ended. */
export interface Pace {
  perMinute: number | null;
  leftMs: number | null;
}

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;

/** The pace at which tasks ended in the time in which some ran. */
export function paceOf({ ended, workedMs, left }: { ended: number; workedMs: number; left: number }): Pace {
  if (ended === 0 || workedMs <= 0) return { perMinute: null, leftMs: null };
  return { perMinute: (ended / workedMs) * MINUTE_MS, leftMs: (workedMs / ended) * left };
}

/** `4.0 tasks a minute`. */
export function rateWords(perMinute: number): string {
  return `${perMinute >= 10 ? Math.round(perMinute) : perMinute.toFixed(1)} tasks a minute`;
}

/** `15 s left`, for so many tasks that are left. */
export function timeLeftWords(left: number, leftMs: number | null): string {
  if (left === 0) return 'nothing left';
  if (leftMs === null) return 'time left not known yet';
  return leftMs < MINUTE_MS ? `${Math.ceil(leftMs / SECOND_MS)} s left` : `${formatDuration(leftMs)} left`;
}
