import { createFakeClock } from '@toolwright/machine/testing/fakes.js';
import { expect, it } from 'vitest';
import { withinLimit } from './within-limit.js';

const late = () => new Error('late');
const turns = async () => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
};
const forever = () => new Promise<never>(() => undefined);

it('withinLimit ends work that ignores its signal, at the limit and with the caller', async () => {
  const clock = createFakeClock();
  const { signal } = new AbortController();
  const working = withinLimit(forever, { clock, limitMs: 100, signal, onLimit: late });
  clock.advance(100);
  await expect(working).rejects.toThrow('late');
  const controller = new AbortController();
  const stopped = withinLimit(forever, { clock, limitMs: 100, signal: controller.signal, onLimit: late });
  controller.abort('enough');
  await expect(stopped).rejects.toBe('enough');
});

it('withinLimit starts again after a pause, and leaves no timer behind', async () => {
  const clock = createFakeClock();
  const { signal } = new AbortController();
  const state = { paused: true, late: false };
  const isPaused = () => state.paused;
  const working = withinLimit(forever, { clock, limitMs: 100, isPaused, signal, onLimit: late }).catch(() => {
    state.late = true;
  });
  for (let round = 0; round < 10; round++) {
    clock.advance(200);
    await turns();
  }
  expect(state.late).toBe(false);
  state.paused = false;
  for (let round = 0; round < 3; round++) {
    clock.advance(200);
    await turns();
  }
  await working;
  expect(state.late).toBe(true);
});
