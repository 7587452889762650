import type { Message } from '@toolwright/machine/base/content.js';
import { expect, it } from 'vitest';
import type { SettledCall } from '../scheduler/call.js';
import { runPrompt } from './agent.js';

const settledCall = (id: string, more: Partial<SettledCall> = {}): SettledCall => ({
  callId: id,
  tool: 'work',
  response: { id, name: 'work', response: { output: 'done' } },
  llmContent: 'done',
  display: 'done',
  effects: [],
  ...more,
});

it('a hook that ends the run ends it also where a question of the same batch is put off', async () => {
  const parked = { callId: 'b' } as NonNullable<SettledCall['parked']>;
  const settled = [settledCall('a', { stopped: 'The hook ended the run.' }), settledCall('b', { parked })];
  const put: string[][] = [];
  const messages: Message[] = [];
  const result = await runPrompt(
    [{ text: 'go' }],
    {
      model: {
        provider: 'scripted',
        model: 'scripted',
        async *stream() {
          const calls = ['a', 'b'].map((id) => ({ id, name: 'work', arguments: {} }));
          for (const call of calls) yield { type: 'call', call };
          const parts = calls.map(({ id, name }) => ({ functionCall: { id, name, args: {} } }));
          yield { type: 'finish', reason: 'calls', parts };
        },
      },
      scheduler: { run: async () => settled },
      declarations: () => [],
      system: '',
      messages,
      clean: (message) => message,
      record: async () => undefined,
      recordHistory: async () => undefined,
      recordParked: async (ids) => void put.push(ids),
      contextOf: async () => '',
      emit: () => undefined,
      log: { path: '', error: () => undefined },
    },
    new AbortController().signal,
  );
  expect(result).toMatchObject({
    reason: 'failed',
    error: { kind: 'hook', message: 'The hook ended the run.' },
  });
  expect([result.parked, put]).toEqual([undefined, []]);
  const error = 'Not run: a hook ended the run before the question about this call was answered.';
  expect(messages.at(-1)?.parts).toMatchObject([
    { functionResponse: { id: 'a', response: { output: 'done' } } },
    { functionResponse: { id: 'b', response: { error, code: 'cancelled' } } },
  ]);
});
