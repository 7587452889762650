import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { AgentEvent } from '@toolwright/core';
import { expect, it } from 'vitest';
import type { AppEvent } from '../app/events.js';
import { reduce } from '../app/reduce.js';
import { safe } from '../app/safe-text.js';
import { initialState, type State } from '../app/state.js';
import { createLiveDrawing } from './live-drawing.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
setFlagsFromString('--no-expose-gc');

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

const LINES = 100_000;

/** How the lines arrive: as what a command prints, and as the answer of the model. */
const sources = {
  'that a command prints': {
    begin: {
      type: 'call-start',
      callId: 'a',
      tool: 'run_shell_command',
      args: {},
      description: 'Run seq',
    } satisfies AgentEvent,
    line: (text: string): AgentEvent => ({ type: 'call-update', callId: 'a', delta: text }),
  },
  'of a streamed answer': {
    begin: { type: 'text-delta', text: 'They are:\n\n' } satisfies AgentEvent,
    line: (text: string): AgentEvent => ({ type: 'text-delta', text }),
  },
};

it.each(Object.entries(sources))(
  '100,000 lines %s leave the memory as it was',
  (source, { begin, line }) => {
    const bench = createBench();
    bench.dispatch({ type: 'prompt-submitted', text: 'count' });
    bench.agent(begin);
    let before = 0;
    for (let number = 0; number < LINES; number++) {
      bench.agent(line(number % 20 === 0 ? `\n${number} begins a paragraph\n` : `line ${number} of many\n`));
      if (number === LINES / 10) before = heapInMb();
    }
    const growth = heapInMb() - before;
    console.log(
      `100,000 lines ${source}: ${growth.toFixed(1)} MB more than after 10,000, ${bench.written()} characters drawn`,
    );
    expect(growth).toBeLessThan(MOST_GROWTH_MB);
    bench.close();
  },
  300_000,
);

const usage = { inputTokens: 1_000, outputTokens: 100, cachedTokens: 900 };
const question = {
  title: safe('Edit a.ts'),
  facts: [],
  choices: [{ key: 'y', label: safe('yes'), agrees: true }],
  refusal: 'n',
};

it('10,000 turns with thoughts, answers, notices, queued messages and questions leave the memory as it was', () => {
  const bench = createBench();
  let before = 0;
  for (let turn = 0; turn < 10_000; turn++) {
    const callId = `call-${turn}`;
    bench.dispatch({ type: 'prompt-submitted', text: `prompt ${turn % 500}` });
    bench.agent({ type: 'thinking-delta', text: `Thoughts about ${turn}. `.repeat(20) });
    bench.agent({ type: 'text-delta', text: `Answer ${turn}.\n\nWith a second paragraph.\n` });
    bench.agent({ type: 'notice', message: `Trying ${turn} again.`, passing: true });
    bench.agent({ type: 'usage-report', provider: 'openai', model: 'fake', usage });
    bench.agent({ type: 'call-start', callId, tool: 'edit', args: {}, description: `Edit ${turn}` });
    bench.dispatch({ type: 'message-queued', text: `and ${turn}` });
    bench.dispatch({ type: 'question-asked', question });
    bench.dispatch({ type: 'question-closed', label: 'yes' });
    bench.dispatch({ type: 'messages-sent', texts: [`and ${turn}`] });
    bench.agent({ type: 'call-update', callId, delta: `editing ${turn}\n` });
    bench.agent({ type: 'call-end', callId, tool: 'edit', display: `edited ${turn}\n`.repeat(30) });
    bench.agent({ type: 'notice', message: `Noted ${turn}.` });
    bench.agent({ type: 'text-delta', text: `| turn | done |\n|---|---|\n| ${turn} | yes |\n` });
    bench.dispatch({ type: 'turn-ended' });
    if (turn === 1_000) before = heapInMb();
  }
  const growth = heapInMb() - before;
  console.log(`10,000 turns: ${growth.toFixed(1)} MB more than after 1,000`);
  expect(growth).toBeLessThan(MOST_GROWTH_MB);
  bench.close();
}, 300_000);
