import { expect, it } from 'vitest';
import { openWorkedTime } from './worked-time.js';

const states = (done: number, running: number, queued: number) => ({
  ...{ done, running, queued },
  ...{ parked: 0, failed: 0, poison: 0, cancelled: 0 },
});

it('only the time counts in which a task ran or ended, and only what ended since the first look', () => {
  const look = openWorkedTime();
  expect(look(states(5, 0, 3), 0)).toEqual({ workedMs: 0, endedHere: 0 });
  expect(look(states(5, 1, 2), 60_000)).toEqual({ workedMs: 0, endedHere: 0 });
  expect(look(states(6, 0, 2), 62_000)).toEqual({ workedMs: 2_000, endedHere: 1 });
  expect(look(states(6, 0, 2), 900_000)).toEqual({ workedMs: 2_000, endedHere: 1 });
  expect(look(states(8, 0, 0), 900_500)).toEqual({ workedMs: 2_500, endedHere: 3 });
});
