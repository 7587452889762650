import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { AgentEvent } from '@toolwright/core';
import { expect, it } from 'vitest';
import type { AppEvent } from '../app/events.js';
import { reduce } from '../app/reduce.js';
import { initialState, type State } from '../app/state.js';
import { createLiveDrawing } from './live-drawing.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heapInMb(): number {
  collect();
  return process.memoryUsage().heapUsed / 1024 ** 2;
}

function createBench() {
  const appearance = { color: true, unicode: true, linear: false };
  let written = 0;
  const drawing = createLiveDrawing({
    screen: () => ({ columns: 80, rows: 24 }),
    appearance,
    write: (text) => void (written += text.length),
  });
  let state: State = { ...initialState, phase: 'idle' };
  return {
    dispatch(event: AppEvent): void {
      state = reduce(state, event);
      drawing.update(state);
    },
    agent(event: AgentEvent): void {
      this.dispatch({ type: 'agent', event });
    },
    written: () => written,
    close: () => drawing.close(),
  };
}

const MOST_GROWTH_MB = 12;

it('100,000 lines that a command prints leave the memory as it was', () => {
  const bench = createBench();
  bench.dispatch({ type: 'prompt-submitted', text: 'count' });
  bench.agent({
    type: 'call-start',
    callId: 'a',
    tool: 'run_shell_command',
    args: {},
    description: 'Run seq',
  });
  let before = 0;
  for (let line = 0; line < 100_000; line++) {
    bench.agent({ type: 'call-update', callId: 'a', delta: `line ${line} of many\n` });
    if (line === 10_000) before = heapInMb();
  }
  const growth = heapInMb() - before;
  console.log(
    `100,000 lines: ${growth.toFixed(1)} MB more than after 10,000, ${bench.written()} characters drawn`,
  );
  expect(growth).toBeLessThan(MOST_GROWTH_MB);
  bench.close();
}, 300_000);

it('10,000 turns leave the memory as it was', () => {
  const bench = createBench();
  let before = 0;
  for (let turn = 0; turn < 10_000; turn++) {
    const callId = `call-${turn}`;
    bench.dispatch({ type: 'prompt-submitted', text: `prompt ${turn % 500}` });
    bench.agent({ type: 'text-delta', text: `Answer ${turn}.\n\nWith a second paragraph.\n` });
    bench.agent({ type: 'call-start', callId, tool: 'edit', args: {}, description: `Edit ${turn}` });
    bench.agent({ type: 'call-end', callId, tool: 'edit', display: `edited ${turn}\n`.repeat(30) });
    bench.dispatch({ type: 'turn-ended' });
    if (turn === 1_000) before = heapInMb();
  }
  const growth = heapInMb() - before;
  console.log(`10,000 turns: ${growth.toFixed(1)} MB more than after 1,000`);
  expect(growth).toBeLessThan(MOST_GROWTH_MB);
  bench.close();
}, 300_000);
