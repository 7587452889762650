import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectToFake, createHurriedClock, hear, requestOf } from '../testing/fake-model/ask.js';
import type { WireName } from '../testing/fake-model/body.js';
import { type FakeModelServer, startFakeModelServer } from '../testing/fake-model-server.js';
import { type ModelClient, ModelError } from './model.js';

const wires: WireName[] = ['openai', 'openai-responses', 'anthropic', 'gemini'];
let server: FakeModelServer;

beforeEach(async () => {
  server = await startFakeModelServer();
});

afterEach(() => {
  vi.useRealTimers();
  return server.close();
});

const glob = {
  name: 'glob',
  description: 'Finds files.',
  parametersJsonSchema: { type: 'object', properties: { pattern: { type: 'string' } } },
};

describe.each(wires)('a %s answer', (wire) => {
  const usage = { inputTokens: 100, outputTokens: 20, cachedTokens: 60 };
  const script = {
    thinking: 'Let me see.',
    text: ['I will ', 'look.'],
    calls: [
      { id: 'c1', name: 'glob', arguments: { pattern: 'ä*.ts' } },
      { id: 'c2', name: 'glob', arguments: { pattern: 'b' } },
    ],
    usage,
  };

  it.each([true, false])(
    'with thoughts, text, two calls and usage arrives (streaming: %s)',
    async (streaming) => {
      server.answer({ ...script, splitBytes: 7 });
      const client = await connectToFake(server, wire, { streaming });
      const { events, error } = await hear(client, requestOf('find', { tools: [glob] }));
      expect(error).toBeUndefined();
      const joined = (type: 'text-delta' | 'thinking-delta') =>
        events.map((event) => (event.type === type ? event.text : '')).join('');
      expect(joined('thinking-delta')).toBe('Let me see.');
      expect(joined('text-delta')).toBe('I will look.');
      expect(events.flatMap((event) => (event.type === 'call' ? [event.call] : []))).toEqual([
        { id: 'c1', name: 'glob', arguments: { pattern: 'ä*.ts' } },
        { id: 'c2', name: 'glob', arguments: { pattern: 'b' } },
      ]);
      expect(events.find((event) => event.type === 'usage')).toMatchObject({ usage });
      expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'calls' });
      expect(events.filter((event) => event.type === 'finish')).toHaveLength(1);
      expect(server.requests[0]?.streaming).toBe(streaming);
    },
  );

  it.each(['stop', 'length', 'refusal'] as const)('ends with the reason %s', async (finish) => {
    server.answer({ text: 'Well', finish });
    const { events } = await hear(await connectToFake(server, wire), requestOf('x'));
    const reason = wire === 'gemini' && finish === 'refusal' ? 'filter' : finish;
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason });
  });

  it('is asked for again after an overload, with growing pauses, and says so', async () => {
    const clock = createHurriedClock();
    server.answer(
      { status: 503, body: { error: { message: 'overloaded' } } },
      { status: 529, body: {} },
      { text: 'At last.' },
    );
    const { text, notices } = await hear(await connectToFake(server, wire, { clock }), requestOf('x'));
    expect(text).toBe('At last.');
    expect(server.requests).toHaveLength(3);
    expect(clock.slept[0]).toBeGreaterThanOrEqual(250);
    expect(clock.slept[0]).toBeLessThanOrEqual(500);
    expect(clock.slept[1]).toBeGreaterThanOrEqual(500);
    expect(notices).toEqual([
      expect.stringMatching(
        /overloaded or broken \(status 503\)\. Trying again in 0\.\d s \(try 2 of 5\)\.$/,
      ),
      expect.stringMatching(/\(try 3 of 5\)\.$/),
    ]);
  });

  it('waits as long as the server asks', async () => {
    const clock = createHurriedClock();
    server.answer({ status: 429, headers: { 'retry-after': '7' }, body: {} }, { text: 'ok' });
    const { text } = await hear(await connectToFake(server, wire, { clock }), requestOf('x'));
    expect([text, clock.slept]).toEqual(['ok', [7000]]);
  });

  it('is given up when the wait would be too long, saying how long', async () => {
    server.answer({ status: 429, headers: { 'retry-after': '3600' }, body: {} });
    const { error } = await hear(await connectToFake(server, wire), requestOf('x'));
    expect(error).toMatchObject({ kind: 'rate-limit', retryAfterMs: 3_600_000 });
    expect((error as Error).message).toContain('It asks you to wait 3600 s.');
  });

  it('is given up after five tries', async () => {
    server.answer(...Array.from({ length: 5 }, () => ({ status: 500, body: {} })), { text: 'too late' });
    const { error } = await hear(await connectToFake(server, wire), requestOf('x'));
    expect(error).toMatchObject({ name: 'ModelError', kind: 'overload', status: 500 });
    expect(server.left).toBe(1);
  });

  it('that ends in an error before a word is asked for again', async () => {
    server.answer({ streamError: { type: 'overloaded_error', message: 'Overloaded' } }, { text: 'ok' });
    const { text } = await hear(await connectToFake(server, wire), requestOf('x'));
    expect(text).toBe('ok');
  });

  it.each([
    ['an error', { streamError: { type: 'overloaded_error', message: 'Overloaded' } }],
    ['a cut', { afterwards: 'cut' as const }],
    ['silence', { afterwards: 'silence' as const }],
  ])('that breaks off with %s after some text is taken back and asked for again', async (_, ending) => {
    const clock = createHurriedClock();
    server.answer({ text: 'Half of', ...ending }, { text: 'Whole.' });
    const client = hurried(await connectToFake(server, wire, { clock }), ending);
    const { events, error } = await hear(client, requestOf('x'));
    expect(error).toBeUndefined();
    const told = events.filter(({ type }) => type === 'text-delta' || type === 'restart');
    expect(told).toEqual([
      { type: 'text-delta', text: 'Half of' },
      {
        type: 'restart',
        message: expect.stringMatching(/\. The answer starts over in \S+ s \(try 2 of 5\)\.$/),
        retry: { kind: expect.stringMatching(/^(overload|network)$/), inMs: clock.slept[0] },
      },
      { type: 'text-delta', text: 'Whole.' },
    ]);
    expect(clock.slept).toHaveLength(1);
  });

  it.each([
    ['an error', { streamError: { type: 'overloaded_error', message: 'Overloaded' } }, 'overload', 5],
    ['a cut', { afterwards: 'cut' as const }, 'network', 5],
    ['silence', { afterwards: 'silence' as const }, 'network', 2],
  ])('that breaks off with %s each time is given up', async (_, ending, kind, tries) => {
    server.answer(...Array.from({ length: tries }, () => ({ text: 'Half of', ...ending })), {
      text: 'never',
    });
    const { error } = await hear(hurried(await connectToFake(server, wire), ending), requestOf('x'));
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({ kind });
    expect((error as Error).message).toMatch(/^The answer broke off in the middle\. /);
    expect(server.left).toBe(1);
  });

  it('that never begins is waited for no longer than the limit', async () => {
    server.answer({ instead: 'silence' });
    const client = await connectToFake(server, wire, { idleTimeoutMs: 60, retry: { attempts: 1 } });
    const { error } = await hear(client, requestOf('x'));
    expect(error).toMatchObject({ kind: 'network', retryable: true });
    expect((error as Error).message).toContain('sent nothing for 0.1 s');
  });

  it('stops with the reason of the abort, in the middle and while waiting to try again', async () => {
    const reason = { kind: 'user' as const };
    const inStream = new AbortController();
    server.answer({ text: 'Half', afterwards: 'silence' });
    const client = await connectToFake(server, wire);
    setTimeout(() => inStream.abort(reason), 50);
    expect((await hear(client, requestOf('x'), inStream.signal)).error).toBe(reason);

    const inWait = new AbortController();
    server.answer({ status: 503, body: {} });
    const waiting = await connectToFake(server, wire, {
      clock: {
        now: () => 0,
        sleep: (_, signal) =>
          new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
      },
    });
    setTimeout(() => inWait.abort(reason), 50);
    expect((await hear(waiting, requestOf('x'), inWait.signal)).error).toBe(reason);
  });

  it('in a conversation that used its id before gets another one', async () => {
    server.answer({ calls: [{ id: 'c1', name: 'glob', arguments: {} }] });
    const { events } = await hear(
      await connectToFake(server, wire),
      requestOf('', {
        tools: [glob],
        messages: [
          { role: 'user', parts: [{ text: 'find' }] },
          { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'glob', args: {} } }] },
          {
            role: 'user',
            parts: [{ functionResponse: { id: 'c1', name: 'glob', response: { output: 'a' } } }],
          },
        ],
      }),
    );
    expect(events.find((event) => event.type === 'call')).toMatchObject({ call: { id: 'call_id-0001' } });
  });

  it('calls a tool and its parameters by their own names, whatever was sent', async () => {
    const odd = {
      name: 'shop.find item',
      description: 'd',
      parametersJsonSchema: { type: 'object', properties: { 'preis in €': { type: 'number' } } },
    };
    server.answer(({ body }) => {
      const { name, property } = sentNames(wire, body);
      return { calls: [{ name, arguments: { [property]: 5 } }] };
    });
    const { events } = await hear(await connectToFake(server, wire), requestOf('x', { tools: [odd] }));
    expect(events.find((event) => event.type === 'call')).toMatchObject({
      call: { name: 'shop.find item', arguments: { 'preis in €': 5 } },
    });
  });
});

it.each(wires)('%s uses its connections again in a conversation', async (wire) => {
  const client = await connectToFake(server, wire);
  for (let turn = 0; turn < 5; turn++) {
    server.answer({ text: 'ok' });
    expect((await hear(client, requestOf('x'))).text).toBe('ok');
  }
  // The next request may leave before the last byte of the answer is in: two connections take turns then.
  expect(server.connections).toBeLessThanOrEqual(2);
});

it('the client says where a server has moved to', async () => {
  server.answer({ status: 301, headers: { location: 'https://new.example/v1' }, body: '' });
  const { error } = await hear(await connectToFake(server, 'openai'), requestOf('x'));
  expect((error as Error).message).toContain('It says: It redirects to https://new.example/v1.');
});

const SILENCE_LIMIT_MS = 300_000;

/** The limit of silence passes as soon as half of an answer was heard, so that nothing hangs on how busy the machine is. */
function hurried(client: ModelClient, ending: object): ModelClient {
  if (!Object.values(ending).includes('silence')) return client;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  return {
    ...client,
    async *stream(request, signal) {
      let passing: NodeJS.Timeout | undefined;
      try {
        for await (const event of client.stream(request, signal)) {
          clearInterval(passing);
          yield event;
          if (event.type === 'text-delta' && event.text === 'Half of')
            passing = setInterval(() => vi.advanceTimersByTime(SILENCE_LIMIT_MS), 1);
        }
      } finally {
        clearInterval(passing);
      }
    },
  };
}

function sentNames(wire: WireName, body: Record<string, unknown>): { name: string; property: string } {
  type Named = { name: string; parameters?: { properties: object }; input_schema?: { properties: object } };
  const [tool] = body['tools'] as { function?: Named; functionDeclarations?: Named[] }[];
  const declared =
    wire === 'openai'
      ? tool?.function
      : wire === 'gemini'
        ? tool?.functionDeclarations?.[0]
        : (tool as Named);
  const schema = declared?.parameters ?? declared?.input_schema;
  return { name: declared?.name ?? '', property: Object.keys(schema?.properties ?? {})[0] ?? '' };
}

it.each(['openai', 'openai-responses'] as const)(
  'a call that a model of a compatible host writes as text over %s is read as a call',
  async (wire) => {
    server.answer({ text: '<tool_call>{"name": "glob", "arguments": {"pattern": "a"}}</tool_call>' });
    const client = await connectToFake(server, wire);
    const { events } = await hear(client, requestOf('find', { tools: [glob] }));
    expect(events).toContainEqual(
      expect.objectContaining({
        call: expect.objectContaining({ name: 'glob', arguments: { pattern: 'a' } }),
      }),
    );
  },
);
