import { expect, it } from 'vitest';
import { createAlarms } from './alarms.js';

/** A clock that a test wakes; it tells how long it is to sleep, in whole seconds. */
function sleepyClock() {
  const sleeps: { seconds: number; wake(): void; isOver: boolean }[] = [];
  const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const entry = { seconds: Math.round(ms / 1000), wake: resolve, isOver: false };
      signal?.addEventListener('abort', () => {
        entry.isOver = true;
        reject(signal.reason);
      });
      sleeps.push(entry);
    });
  return { sleep, sleeps };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('alarms that are set at the same time share one wait, and each rings in its time', async () => {
  const { sleep, sleeps } = sleepyClock();
  const alarms = createAlarms({ sleep });
  const rung: string[] = [];
  alarms.set(60_000, () => rung.push('first'));
  alarms.set(90_000, () => rung.push('second'));
  expect(sleeps.map(({ seconds }) => seconds)).toEqual([60]);
  sleeps[0]!.wake();
  await turn();
  expect(rung).toEqual(['first']);
  expect(sleeps.map(({ seconds }) => seconds)).toEqual([60, 90]);
  sleeps[1]!.wake();
  await turn();
  expect(rung).toEqual(['first', 'second']);
});

it('an alarm that rings before the others is waited for first', async () => {
  const { sleep, sleeps } = sleepyClock();
  const alarms = createAlarms({ sleep });
  const rung: string[] = [];
  alarms.set(60_000, () => rung.push('late'));
  alarms.set(1_000, () => rung.push('early'));
  expect(sleeps.map(({ seconds, isOver }) => [seconds, isOver])).toEqual([
    [60, true],
    [1, false],
  ]);
  sleeps[1]!.wake();
  await turn();
  expect(rung).toEqual(['early']);
  expect(sleeps.at(-1)).toMatchObject({ seconds: 60, isOver: false });
});

it('an alarm that is taken back never rings, and without any the clock waits no longer', async () => {
  const { sleep, sleeps } = sleepyClock();
  const alarms = createAlarms({ sleep });
  for (let count = 0; count < 3; count++) alarms.set(60_000, () => expect.unreachable())();
  expect(sleeps).toHaveLength(1);
  await turn();
  expect(sleeps[0]!.isOver).toBe(true);
  alarms.set(5_000, () => undefined);
  expect(sleeps).toHaveLength(2);
});
