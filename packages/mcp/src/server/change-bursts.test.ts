import { createFakeClock } from '@toolwright/machine/testing/fakes.js';
import { expect, it } from 'vitest';
import { createChangeBursts } from './change-bursts.js';

function listening() {
  const clock = createFakeClock();
  let heard = 0;
  const bursts = createChangeBursts(clock, () => void heard++);
  const settle = async (ms: number) => {
    clock.advance(ms);
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  };
  /** Counts how often one change each twentieth of a second is heard. */
  const storm = async (seconds: number): Promise<number> => {
    const before = heard;
    for (let count = 0; count < seconds * 20; count++) {
      bursts.changed();
      await settle(50);
    }
    return heard - before;
  };
  return { bursts, heard: () => heard, settle, storm };
}

it('a burst of changes is announced once, and not at all after the end', async () => {
  const { bursts, heard, settle } = listening();
  for (let count = 0; count < 50; count++) bursts.changed();
  await settle(100);
  expect(heard()).toBe(1);
  bursts.changed();
  bursts.stop();
  bursts.changed();
  await settle(200);
  expect(heard()).toBe(1);
});

it('a storm of changes is announced more and more seldom, and the next change after it at once again', async () => {
  const { bursts, heard, settle, storm } = listening();
  expect(await storm(10)).toBe(6);
  await storm(60);
  expect(await storm(60)).toBe(2);
  await settle(30_000);
  await settle(10_000);
  const before = heard();
  bursts.changed();
  await settle(100);
  expect(heard()).toBe(before + 1);
});
