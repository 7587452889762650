import type { AbortReason } from '@toolwright/machine/base/errors.js';
import { createFakeClock } from '@toolwright/machine/testing/fakes.js';
import { describe, expect, it } from 'vitest';
import { createCallBench } from '../testing/call-bench.js';
import { scriptedTool } from '../testing/scripted-tool.js';

const user: AbortReason = { kind: 'user' };
const tick = () => new Promise((resolve) => setImmediate(resolve));

describe('a cancelled batch', () => {
  it('goes on with its other calls when only those that have begun are cancelled', async () => {
    const tool = scriptedTool('t', {
      run: async (_params, signal) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return { llmContent: '', returnDisplay: '', error: { code: 'cancelled', message: 'stopped' } };
      },
    });
    const bench = await createCallBench({ tools: [tool, scriptedTool('next')] });
    const batch = new AbortController();
    const running = bench.run([['t'], ['next']], batch.signal);
    while (!bench.events.some(({ type }) => type === 'call-start')) await tick();
    await tick();
    bench.cancelCalls();
    const settled = await running;
    expect(settled.map(({ error }) => error?.code)).toEqual(['cancelled', undefined]);
    expect(batch.signal.aborted).toBe(false);
  });

  it('answers every call when it is cancelled before it began', async () => {
    let runs = 0;
    const tool = scriptedTool('t', {
      effects: [],
      run: async () => ({ llmContent: String(++runs), returnDisplay: '' }),
    });
    const controller = new AbortController();
    controller.abort(user);
    const bench = await createCallBench({ tools: [tool] });
    const settled = await bench.run([['t'], ['t']], controller.signal);
    expect(settled.map(({ error }) => error?.code)).toEqual(['cancelled', 'cancelled']);
    expect(settled[0]?.error?.message).toBe('The call was cancelled by the user. Nothing more was done.');
    expect(runs).toBe(0);
  });

  it('answers every call when it is cancelled during the first, with what the tool gives on the way out', async () => {
    const controller = new AbortController();
    const tool = scriptedTool('t', {
      run: async (_params, signal) => {
        queueMicrotask(() => controller.abort(user));
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return {
          llmContent: 'half of it',
          returnDisplay: 'half',
          error: { code: 'cancelled', message: 'stopped' },
        };
      },
    });
    const bench = await createCallBench({ tools: [tool] });
    const settled = await bench.run([['t'], ['t']], controller.signal);
    expect(settled[0]?.response.response).toEqual({ error: 'half of it', code: 'cancelled' });
    expect(settled[1]?.error?.code).toBe('cancelled');
  });

  it('answers every call when it is cancelled during a question, and drops the plan', async () => {
    const controller = new AbortController();
    const discarded: string[] = [];
    const tool = scriptedTool('t', {
      effects: [{ kind: 'write', path: '/work/a' }],
      more: { discard: () => void discarded.push('t') },
    });
    const bench = await createCallBench({
      tools: [tool],
      mode: 'default',
      more: {
        confirm: async () => {
          controller.abort(user);
          return { kind: 'once' };
        },
      },
    });
    const [settled] = await bench.run([['t']], controller.signal);
    expect(settled?.error?.code).toBe('cancelled');
    expect(discarded).toEqual(['t']);
  });

  it('runs no tool that is cancelled while its permission is noted', async () => {
    const controller = new AbortController();
    const discarded: string[] = [];
    let runs = 0;
    const tool = scriptedTool('t', {
      effects: [],
      run: async () => {
        runs += 1;
        return { llmContent: 'ran', returnDisplay: 'ran' };
      },
      more: { discard: () => void discarded.push('t') },
    });
    const bench = await createCallBench({
      tools: [tool],
      more: {
        record: async ({ type }) => {
          if (type === 'call-decision') controller.abort(user);
        },
      },
    });
    const [settled] = await bench.run([['t']], controller.signal);
    expect([settled?.error?.code, runs, discarded]).toEqual(['cancelled', 0, ['t']]);
  });
});

describe('a tool that never settles', () => {
  const hanging = () => scriptedTool('hang', { run: () => new Promise(() => {}) });

  it('is told to stop at the time limit and left behind after a grace time', async () => {
    const clock = createFakeClock();
    const bench = await createCallBench({
      tools: [hanging()],
      clock,
      more: { limits: { callMs: 1000, graceMs: 50 } },
    });
    const running = bench.run([['hang']]);
    for (let round = 0; round < 60; round++) {
      await tick();
      clock.advance(100);
    }
    const [settled] = await running;
    expect(settled?.error).toEqual({
      code: 'timeout',
      message: 'The call was stopped at the time limit. It did not stop when told to and was left behind.',
    });
  });

  it('does not keep a cancelled batch waiting', async () => {
    const controller = new AbortController();
    const bench = await createCallBench({ tools: [hanging()], more: { limits: { graceMs: 1 } } });
    const running = bench.run([['hang'], ['hang']], controller.signal);
    await tick();
    controller.abort(user);
    const settled = await running;
    expect(settled.map(({ error }) => error?.code)).toEqual(['cancelled', 'cancelled']);
  });
});

it('ten thousand calls leave no listener behind on the signal', async () => {
  const controller = new AbortController();
  let listeners = 0;
  const { addEventListener, removeEventListener } = controller.signal;
  controller.signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    listeners += 1;
    addEventListener.apply(controller.signal, args);
  };
  controller.signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    listeners -= 1;
    removeEventListener.apply(controller.signal, args);
  };
  const bench = await createCallBench({
    tools: [scriptedTool('t', { effects: [] })],
    more: { record: async () => {}, emit: () => {} },
  });
  for (let index = 0; index < 100; index++)
    await bench.run(
      Array.from({ length: 100 }, () => ['t'] as [string]),
      controller.signal,
    );
  expect(listeners).toBe(0);
});
