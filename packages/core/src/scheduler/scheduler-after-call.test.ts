import { expect, it } from 'vitest';
import type { NewErrors } from '../languages/describe-errors.js';
import { createCallBench } from '../testing/call-bench.js';
import { scriptedTool } from '../testing/scripted-tool.js';
import type { FinishedCall } from '../tools/code/after-call.js';

const newErrors: NewErrors = {
  server: 'checker',
  total: 1,
  files: 1,
  isLate: false,
  errors: [{ path: 'a.ts', line: 2, column: 3, message: 'no such name', code: 'E1' }],
};

async function benchOf(told: FinishedCall[]) {
  const tools = [scriptedTool('edit', { effects: [] }), scriptedTool('agent', { effects: [] })];
  return createCallBench({
    tools,
    more: {
      afterCall: {
        async tell(call) {
          told.push(call);
          return { errors: [newErrors], notes: ['One more thing.'] };
        },
      },
    },
  });
}

it('errors that a call brought are told the model in words, and journal and front ends as data', async () => {
  const bench = await benchOf([]);
  const [settled] = await bench.run([['edit']]);
  expect(settled?.response.response?.['notes']).toEqual([
    'One more thing.',
    '1 new error after this change, says checker:\na.ts:2:3: no such name (E1)',
  ]);
  expect(bench.events.at(-1)).toMatchObject({ type: 'call-end', newErrors: [newErrors] });
  expect(bench.records.at(-1)).toMatchObject({ type: 'call-end', newErrors: [newErrors] });
});

it('who made a call, and whether a model hears of it, is known where its errors are told', async () => {
  const told: FinishedCall[] = [];
  const bench = await benchOf(told);
  const { signal } = new AbortController();
  await bench.run([['edit']], signal, { agent: 'helper', by: 'agent' });
  await bench.run([['edit']], signal, { by: 'user', unheard: true });
  await bench.run([['agent']], signal);
  expect(told).toMatchObject([
    { author: 'helper', endsAgent: false, isUnheard: undefined },
    { author: undefined, endsAgent: false, isUnheard: true },
    { author: undefined, endsAgent: true, isUnheard: undefined },
  ]);
});
