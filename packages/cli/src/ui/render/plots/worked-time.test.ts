import { expect, it } from 'vitest';
import { openWorkedTime } from './worked-time.js';

it('only the time counts in which a task ran or ended, and only what ended since the first look', () => {
  const look = openWorkedTime();
  expect(look({ nowMs: 0, running: 0, ended: 5 })).toEqual({ workedMs: 0, endedHere: 0 });
  expect(look({ nowMs: 60_000, running: 1, ended: 5 })).toEqual({ workedMs: 0, endedHere: 0 });
  expect(look({ nowMs: 62_000, running: 0, ended: 6 })).toEqual({ workedMs: 2_000, endedHere: 1 });
  expect(look({ nowMs: 900_000, running: 0, ended: 6 })).toEqual({ workedMs: 2_000, endedHere: 1 });
  expect(look({ nowMs: 900_500, running: 0, ended: 8 })).toEqual({ workedMs: 2_500, endedHere: 3 });
});
