import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type AgentSlot, inAgentSlot, MOST_AT_ONCE } from './agent-slots.js';

const never = new AbortController().signal;
const many = Array.from({ length: 8 });

/** Counts how many work at once. */
function counter() {
  const count = { now: 0, most: 0, done: 0 };
  const work = async (): Promise<void> => {
    count.now += 1;
    count.most = Math.max(count.most, count.now);
    for (let round = 0; round < 3; round++) await setImmediate();
    count.now -= 1;
    count.done += 1;
  };
  return { count, work };
}

it('agents that work for agents count among those that work at once, and nobody waits for ever', async () => {
  const { count, work } = counter();
  const outer = async (slot: AgentSlot): Promise<void> => {
    await work();
    await Promise.all(many.map(() => slot.lend(never, work)));
    await work();
  };
  await Promise.all(many.map(() => inAgentSlot(never, outer)));
  expect(count).toEqual({ now: 0, most: MOST_AT_ONCE, done: 8 * 10 });
});

it('a cancel while an agent of an agent waits holds up nobody', async () => {
  const { count, work } = counter();
  const cancel = new AbortController();
  const cancelled = many.map(() =>
    inAgentSlot(cancel.signal, (slot) => Promise.all(many.map(() => slot.lend(cancel.signal, work)))),
  );
  const others = many.map(() => inAgentSlot(never, (slot) => slot.lend(never, work)));
  await setImmediate();
  cancel.abort(new Error('enough'));
  const ends = await Promise.allSettled(cancelled);
  await Promise.all(others);
  expect(ends.some(({ status }) => status === 'rejected')).toBe(true);
  for (let round = 0; round < 10; round++) await setImmediate();
  const after = counter();
  await Promise.all(many.map(() => inAgentSlot(never, after.work)));
  expect([count.now, after.count.most]).toEqual([0, MOST_AT_ONCE]);
});
