import { describe, expect, it } from 'vitest';
import { paceOf, rateWords, timeLeftWords } from './pace.js';

describe('the pace of tasks', () => {
  it.each([
    [{ ended: 37, workedMs: 60_000, left: 62 }, '37 tasks a minute', '1 min left'],
    [{ ended: 4, workedMs: 60_000, left: 1 }, '4.0 tasks a minute', '15 s left'],
    [{ ended: 1, workedMs: 600_000, left: 12 }, '0.1 tasks a minute', '2 h 0 min left'],
    [{ ended: 4, workedMs: 60_000, left: 0 }, '4.0 tasks a minute', 'nothing left'],
    [{ ended: 0, workedMs: 60_000, left: 3 }, null, 'time left not known yet'],
    [{ ended: 2, workedMs: 0, left: 3 }, null, 'time left not known yet'],
  ])('of %j is %s, %s', (work, rate, left) => {
    const { perMinute, leftMs } = paceOf(work);
    expect(perMinute === null ? null : rateWords(perMinute)).toBe(rate);
    expect(timeLeftWords(work.left, leftMs)).toBe(left);
  });
});
