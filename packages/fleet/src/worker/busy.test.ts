import { expect, it } from 'vitest';
import { createBusy } from './busy.js';

it('tasks that wait for a place are put off the longer the more they are, and no longer than five minutes', () => {
  const busy = createBusy(() => 0);
  const first = Array.from({ length: 10 }, (_, index) => busy.delayOf(`t${index}`));
  expect(new Set(first)).toEqual(new Set([1_000]));
  for (let index = 10; index < 200; index++) busy.delayOf(`t${index}`);
  expect(busy.delayOf('t0')).toBe(20_000);
  for (let index = 0; index < 190; index++) busy.free(`t${index}`);
  expect(busy.delayOf('t199')).toBe(1_000);
  for (let index = 0; index < 50_000; index++) busy.delayOf(`t${index}`);
  expect(busy.delayOf('t0')).toBe(300_000);
});

it('tasks count no more once the time they were put off for is over, because other workers have taken them', () => {
  let now = 0;
  const busy = createBusy(() => now);
  for (let index = 0; index < 3_000; index++) busy.delayOf(`t${index}`);
  now += 1_000;
  expect(busy.delayOf('new')).toBe(300_000);
  // Each of them has been taken by a worker meanwhile.
  now += 600_001;
  expect(busy.delayOf('new')).toBe(1_000);
});
