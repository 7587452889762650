import type { Message, Part } from '@toolwright/machine/base/content.js';
import { expect, it } from 'vitest';
import type { ModelEvent } from '../model/model.js';
import { createCallBench } from '../testing/call-bench.js';
import { scriptedTool } from '../testing/scripted-tool.js';
import { runPrompt } from './agent.js';

const work: ModelEvent[] = [
  { type: 'call', call: { id: 'x', name: 'work', arguments: {} } },
  { type: 'finish', reason: 'calls', parts: [{ functionCall: { id: 'x', name: 'work', args: {} } }] },
];
const say = (text: string): ModelEvent[] => [
  { type: 'text-delta', text },
  { type: 'finish', reason: 'stop', parts: [{ text }] },
];

/** Runs a prompt whose user writes `written` one after the other whenever the agent asks. */
async function run(answers: ModelEvent[][], written: (Part[] | null)[]) {
  const bench = await createCallBench({ tools: [scriptedTool('work', { effects: [] })] });
  const messages: Message[] = [];
  const recorded: Message[] = [];
  const requests: Message[][] = [];
  const model = {
    provider: 'scripted',
    model: 'scripted',
    async *stream(request: { messages: readonly Message[] }): AsyncGenerator<ModelEvent> {
      requests.push(structuredClone([...request.messages]));
      yield* answers[requests.length - 1] ?? say('done');
    },
  };
  const result = await runPrompt(
    [{ text: 'please' }],
    {
      model,
      scheduler: { run: (calls, signal, batch) => bench.run([...calls], signal, batch) },
      declarations: () => [],
      system: '',
      messages,
      clean: (message) => message,
      record: async (message) => void recorded.push(message),
      recordHistory: async () => undefined,
      contextOf: async () => '',
      between: async () => written.shift() ?? null,
      emit: () => undefined,
      log: { path: '/log', error: () => undefined },
    },
    new AbortController().signal,
  );
  return { result, requests, recorded, messages };
}

it('the agent gives the model what the user wrote meanwhile after its calls and before it is asked again', async () => {
  const { requests, recorded, messages } = await run([work, say('ok')], [[{ text: 'in French' }]]);
  expect(requests[1]?.slice(-2).map(({ parts }) => parts[0])).toMatchObject([
    { functionResponse: { name: 'work' } },
    { text: 'in French' },
  ]);
  expect(requests[1]?.at(-1)?.role).toBe('user');
  // The journal has it where a prompt would stand, so that a session goes on with it.
  expect(recorded).toEqual(messages);
});

it('the agent lets a model that was done answer it, too', async () => {
  const { result, requests } = await run([say('First.'), say('Second.')], [[{ text: 'and now?' }]]);
  expect(requests).toHaveLength(2);
  expect(requests[1]?.at(-1)?.parts).toEqual([{ text: 'and now?' }]);
  expect(result).toMatchObject({ reason: 'done', response: 'Second.', turns: 2 });
});
