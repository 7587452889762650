import { describe, expect, it } from 'vitest';
import { ModelError } from './model.js';
import { defaultRetryLimits, parseRetryAfter, retryDelay } from './retry.js';

const overload = new ModelError('overload', 'busy', { retryable: true });
const delays = (random: () => number, error = overload) =>
  [1, 2, 3, 4, 5].map((attempt) => retryDelay(error, attempt, { random }));

describe('the wait before the next try', () => {
  it('doubles, between half of the step and all of it, and ends after five tries', () => {
    expect(delays(() => 0)).toEqual([250, 500, 1000, 2000, null]);
    expect(delays(() => 1)).toEqual([500, 1000, 2000, 4000, null]);
  });

  it('never grows over its limit', () => {
    const limits = { ...defaultRetryLimits, attempts: 50 };
    expect(retryDelay(overload, 40, { random: () => 1, limits })).toBe(30_000);
  });

  it('is at least what the server asks for', () => {
    const asked = new ModelError('rate-limit', 'slow', { retryable: true, retryAfterMs: 9000 });
    expect(delays(() => 0, asked)).toEqual([9000, 9000, 9000, 9000, null]);
  });

  it('is none at all when the server asks for too much, or trying again can not help', () => {
    const long = new ModelError('rate-limit', 'slow', { retryable: true, retryAfterMs: 600_000 });
    expect(retryDelay(long, 1, { random: () => 0 })).toBeNull();
    expect(retryDelay(new ModelError('auth', 'no'), 1, { random: () => 0 })).toBeNull();
  });
});

it.each<[Record<string, string>, number | undefined]>([
  [{ 'retry-after': '3' }, 3000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
  [{ 'retry-after': 'Wed, 02 Jan 2030 00:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'Tue, 01 Jan 2030 00:00:30 GMT' }, 0],
  [{ 'retry-after': 'soon' }, undefined],
  [{}, undefined],
])('the headers %j ask for a wait of %s ms', (headers, expected) => {
  expect(parseRetryAfter(headers, Date.UTC(2030, 0, 2))).toBe(expected);
});
