import { expect, it } from 'vitest';
import type { ModelClient, ModelEvent } from '../model/model.js';
import { logRequests } from './logged-model.js';

const events: ModelEvent[] = [
  { type: 'text-delta', text: 'so' },
  { type: 'call', call: { id: '1', name: 'glob', arguments: {} } },
  { type: 'finish', reason: 'calls', parts: [{ text: 'so' }] },
];

function model(failure?: Error): ModelClient {
  return {
    provider: 'test',
    model: 'one',
    async *stream() {
      yield* events;
      if (failure) throw failure;
    },
  };
}

async function ask(client: ModelClient): Promise<{ heard: ModelEvent[]; failure: unknown }> {
  const heard: ModelEvent[] = [];
  const messages = [{ role: 'user' as const, parts: [{ text: 'hi' }] }];
  try {
    const request = { system: 'be short', messages, tools: [{ name: 'glob' }] };
    for await (const event of client.stream(request, new AbortController().signal)) heard.push(event);
    return { heard, failure: undefined };
  } catch (failure) {
    return { heard, failure };
  }
}

it('a logged model passes every event on and logs the request and all but the pieces of text', async () => {
  const lines: [string, unknown][] = [];
  const client = logRequests(model(), { debug: (message, data) => lines.push([message, data]) });
  expect(await ask(client)).toEqual({ heard: events, failure: undefined });
  expect(lines.map(([message]) => message)).toEqual(['model-request', 'model-call', 'model-finish']);
  expect(lines[0]?.[1]).toEqual({
    provider: 'test',
    model: 'one',
    system: 'be short',
    messages: 1,
    latest: { role: 'user', parts: [{ text: 'hi' }] },
    tools: ['glob'],
  });
});

it('a failure is logged and thrown on as it is', async () => {
  const lines: [string, unknown][] = [];
  const failure = new Error('gone');
  const client = logRequests(model(failure), { debug: (message, data) => lines.push([message, data]) });
  expect((await ask(client)).failure).toBe(failure);
  expect(lines.at(-1)).toEqual(['model-failure', 'gone']);
});
