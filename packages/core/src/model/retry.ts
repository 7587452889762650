import type { ModelError } from './model.js';

export interface RetryLimits {
  /** Tries in all, the first one included. */
  attempts: number;
  /** Tries that may end in silence: each of them costs the whole silence limit. */
  silentAttempts: number;
  baseMs: number;
  maxMs: number;
  /** A server that asks for a longer wait is not waited for. */
  longestRetryAfterMs: number;
}

export const defaultRetryLimits: RetryLimits = {
  attempts: 5,
  silentAttempts: 2,
  baseMs: 500,
  maxMs: 30_000,
  longestRetryAfterMs: 120_000,
};

/**
 * Milliseconds to wait before try number `attempt + 1`, or null to give up. Doubles each time; the random part
 * keeps many clients from coming back at once. A wait that the server asks for is the least.
 */
export function retryDelay(
  error: ModelError,
  attempt: number,
  { random, limits = defaultRetryLimits }: { random: () => number; limits?: RetryLimits },
): number | null {
  if (!error.retryable || attempt >= limits.attempts) return null;
  const asked = error.retryAfterMs ?? 0;
  if (asked > limits.longestRetryAfterMs) return null;
  const ceiling = Math.min(limits.maxMs, limits.baseMs * 2 ** (attempt - 1));
  const backoff = ceiling / 2 + (ceiling / 2) * random();
  return Math.round(Math.max(asked, backoff));
}

/** Seconds, or a date; the millisecond form some hosts send wins. */
export function parseRetryAfter(headers: Record<string, string>, now: number): number | undefined {
  const milliseconds = Number.parseFloat(headers['retry-after-ms'] ?? '');
  if (milliseconds >= 0) return milliseconds;
  const value = headers['retry-after']?.trim();
  if (value === undefined || value === '') return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
