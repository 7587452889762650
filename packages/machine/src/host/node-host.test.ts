import { describe, expect, test } from 'vitest';
import { createClock, createIds } from './node-host.js';

describe('ids', () => {
  test('sort by the time of making, also within a millisecond and when the clock goes back', () => {
    let time = 1_900_000_000_000;
    const ids = createIds({ now: () => time });
    const made = Array.from({ length: 50_000 }, (_, index) => {
      if (index % 1000 === 0) time += 5;
      if (index === 25_000) time -= 1000;
      return ids.next();
    });
    expect(made).toEqual([...made].sort());
    expect(new Set(made).size).toBe(made.length);
  });

  test('stay in order when more are made in a millisecond than the count holds', () => {
    const ids = createIds({ now: () => 1_900_000_000_000 });
    let last = '';
    for (let count = 0; count < 36 ** 3 + 10; count++) {
      const next = ids.next();
      if (next <= last) expect(next > last).toBe(true);
      last = next;
    }
  });

  test('are safe as file names, of one length, and differ between processes', () => {
    const now = () => 1_900_000_000_000;
    const one = createIds({ now }).next();
    expect(one).toMatch(/^[0-9a-z]{24}$/);
    expect(createIds({ now }).next()).not.toBe(one);
    expect(createIds({ now: () => 35, random: () => 0 }).next()).toBe(`00000000z${'0'.repeat(15)}`);
    expect(createIds({ now, random: () => 1 - 2 ** -53 }).next()).toMatch(/^[0-9a-z]{12}z{12}$/);
  });
});

describe('the clock', () => {
  test('sleeps, wakes, and lets go of the signal', async () => {
    const controller = new AbortController();
    await expect(createClock().sleep(1, controller.signal)).resolves.toBeUndefined();
    controller.abort();
  });

  test('wakes with the reason when it is cancelled, before or during sleep', async () => {
    const clock = createClock();
    const controller = new AbortController();
    const sleeping = clock.sleep(60_000, controller.signal);
    controller.abort({ kind: 'user' });
    await expect(sleeping).rejects.toEqual({ kind: 'user' });
    await expect(clock.sleep(60_000, controller.signal)).rejects.toEqual({ kind: 'user' });
  });
});
