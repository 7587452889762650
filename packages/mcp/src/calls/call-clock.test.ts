import { createFakeClock } from '@toolwright/machine/testing/fakes.js';
import { expect, it } from 'vitest';
import { startCallClock } from './call-clock.js';
import { readCallResult } from './read-result.js';

function start({ idleMs = 1_000, hardMs = 10_000 } = {}) {
  const clock = createFakeClock();
  const state = { paused: false, limit: null as string | null };
  const running = startCallClock({
    clock,
    idleMs,
    hardMs,
    isPaused: () => state.paused,
    onLimit: (limit) => {
      state.limit = limit;
    },
  });
  const pass = async (ms: number) => {
    for (let step = 0; step < ms; step += 100) {
      clock.advance(100);
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    }
  };
  return { state, pass, ...running };
}

it('silence ends a call at the idle limit', async () => {
  const { state, pass } = start();
  await pass(900);
  expect(state.limit).toBeNull();
  await pass(200);
  expect(state.limit).toBe('idle');
});

it('progress starts the silence again, but not the whole', async () => {
  const { state, pass, progress } = start();
  for (let round = 0; round < 12 && state.limit === null; round++) {
    await pass(900);
    progress();
  }
  expect(state.limit).toBe('hard');
});

it('time does not count while somebody is asked', async () => {
  const { state, pass } = start();
  state.paused = true;
  await pass(60_000);
  expect(state.limit).toBeNull();
  state.paused = false;
  await pass(1_600);
  expect(state.limit).toBe('idle');
});

it('the clock of a call says nothing after it was stopped', async () => {
  const { state, pass, stop } = start();
  stop();
  await pass(20_000);
  expect(state.limit).toBeNull();
});

it.each([
  [
    { content: [], structuredContent: { a: 1 } },
    { structured: { a: 1 }, warnings: [] },
  ],
  [
    { content: [{ type: 'text', text: 'x' }] },
    { structured: null, warnings: ['The tool declares structured output but gave none.'] },
  ],
  [
    { content: [{ type: 'text', text: 'x' }], isError: true },
    { structured: null, warnings: [], isError: true },
  ],
  [{ toolResult: { a: 1 } }, { structured: { a: 1 }, warnings: [] }],
  [
    { content: [], structuredContent: { a: 'x' } },
    {
      warnings: [
        `The structured output does not fit the tool's own schema: a: expected number, got string "x".`,
      ],
    },
  ],
])('the result %j is read and checked', (result, expected) => {
  const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
  expect(readCallResult(result, schema)).toMatchObject(expected);
});
