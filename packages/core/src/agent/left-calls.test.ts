import type { Message } from '@toolwright/machine/base/content.js';
import { expect, it } from 'vitest';
import { interruptedResponse } from '../model/interrupted-call.js';
import { createCallBench } from '../testing/call-bench.js';
import { scriptedTool } from '../testing/scripted-tool.js';
import { repeatableCalls, repeatCalls } from './left-calls.js';

const call = (id: string) => ({ functionCall: { id, name: 'look', args: { id } } });
const answered = (id: string) => ({
  functionResponse: { id, name: 'look', response: { output: `seen ${id}` } },
});
const interrupted = (id: string) => ({ functionResponse: interruptedResponse({ id, name: 'look' }) });

const conversation = (): Message[] => [
  { role: 'user', parts: [{ text: 'go' }] },
  { role: 'model', parts: [call('a'), call('b'), call('c')] },
  { role: 'user', parts: [answered('a'), interrupted('b'), interrupted('c'), { text: 'and now?' }] },
];

it('of the interrupted calls those that may be repeated run again; the answered one does not', async () => {
  const ran: unknown[] = [];
  const look = scriptedTool('look', {
    effects: [{ kind: 'read', path: '/work/a.txt' }],
    async run({ id }) {
      ran.push(id);
      return { llmContent: `seen ${id} again`, returnDisplay: '' };
    },
  });
  const bench = await createCallBench({ tools: [look] });
  const messages = conversation();
  const recorded: Message[] = [];
  const left = await repeatableCalls(messages, async ({ id }) => id === 'c');
  const record = async (message: Message): Promise<void> => void recorded.push(message);
  const scheduler = {
    run: (calls: never, signal: AbortSignal, batch: object) => bench.run(calls, signal, batch),
  };
  const needs = { scheduler: scheduler as never, messages, clean: (message: Message) => message, record };
  await repeatCalls(left!, needs, new AbortController().signal);
  expect(ran).toEqual(['c']);
  const seenAgain = { functionResponse: { id: 'c', name: 'look', response: { output: 'seen c again' } } };
  const responses = [answered('a'), interrupted('b'), seenAgain];
  expect(messages.slice(0, 2)).toEqual(conversation().slice(0, 2));
  expect(messages.slice(2)).toEqual([{ role: 'user', parts: [...responses, { text: 'and now?' }] }]);
  expect(recorded).toEqual([{ role: 'user', parts: responses }]);
});

it('a call that a hook wants the user asked about stays interrupted, and nobody is asked', async () => {
  const bench = await createCallBench({
    tools: [
      scriptedTool('look', {
        confirmation: { kind: 'info', title: 'Look?', prompt: 'Look?', urls: [], effects: [] },
      }),
    ],
    mode: 'default',
  });
  const messages = conversation();
  const left = await repeatableCalls(messages, async () => true);
  const scheduler = {
    run: (calls: never, signal: AbortSignal, batch: object) => bench.run(calls, signal, batch),
  };
  const needs = {
    scheduler: scheduler as never,
    messages,
    clean: (message: Message) => message,
    record: async () => undefined,
  };
  await repeatCalls(left!, needs, new AbortController().signal);
  expect(messages).toEqual(conversation());
});

it.each<[what: string, messages: Message[]]>([
  ['an answer after the calls', [...conversation(), { role: 'model', parts: [{ text: 'I see.' }] }]],
  ['a prompt after the calls', [...conversation(), { role: 'user', parts: [{ text: 'go on' }] }]],
  ['nothing said yet', []],
])('nothing is repeated with %s', async (_what, messages) => {
  expect(await repeatableCalls(messages, async () => true)).toBeNull();
});
