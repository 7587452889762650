import type { Message } from '@toolwright/machine/base/content.js';
import { describe, expect, it } from 'vitest';
import {
  type FinishReason,
  type ModelClient,
  ModelError,
  type ModelEvent,
  type ModelRequest,
} from '../model/model.js';
import { createCallBench } from '../testing/call-bench.js';
import { scriptedTool } from '../testing/scripted-tool.js';
import { type AgentOptions, runPrompt } from './agent.js';
import type { AgentEvent } from './events.js';

type Answer = ModelEvent[] | ((request: ModelRequest) => ModelEvent[] | Promise<ModelEvent[]>);

function scriptedModel(...answers: Answer[]): ModelClient & { requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    provider: 'scripted',
    model: 'scripted',
    requests,
    async *stream(request) {
      requests.push({ ...request, messages: structuredClone(request.messages) as Message[] });
      const answer = answers[requests.length - 1] ?? say('done');
      yield* typeof answer === 'function' ? await answer(request) : answer;
    },
  };
}

const say = (text: string): ModelEvent[] => [
  { type: 'text-delta', text },
  { type: 'usage', usage: { inputTokens: 10, outputTokens: 2 } },
  { type: 'finish', reason: 'stop', parts: [{ text }] },
];

const call = (name: string, args = {}, reason: 'calls' | 'length' = 'calls'): ModelEvent[] => [
  { type: 'call', call: { id: 'x', name, arguments: args } },
  { type: 'finish', reason, parts: [{ functionCall: { id: 'x', name, args } }] },
];

async function run(
  model: ModelClient,
  options: { budget?: AgentOptions['budget']; signal?: AbortSignal; messages?: Message[] } = {},
) {
  const bench = await createCallBench({ tools: [scriptedTool('work', { effects: [] })] });
  const messages = options.messages ?? [];
  const recorded: Message[] = [];
  const histories: Message[][] = [];
  const events: AgentEvent[] = [];
  const result = await runPrompt(
    [{ text: 'please' }],
    {
      model,
      scheduler: { run: (calls, signal, batch) => bench.run([...calls], signal, batch) },
      declarations: () => bench.registry.getFunctionDeclarations(),
      system: 'system',
      messages,
      clean: (message) => message,
      record: async (message) => void recorded.push(message),
      recordHistory: async (shorter) => void histories.push(shorter),
      contextOf: async () => '',
      log: { path: '/log/debug.log', error: () => undefined },
      emit: (event) => events.push(event),
      budget: { turns: 10, calls: 100, ...options.budget },
    },
    options.signal ?? new AbortController().signal,
  );
  return { result, messages, recorded, events, histories, records: bench.records };
}

it('the agent goes on until the model asks for no more calls', async () => {
  const model = scriptedModel(call('work'), call('work'), say('All done.'));
  const { result, messages, recorded } = await run(model);
  expect(result).toMatchObject({
    reason: 'done',
    response: 'All done.',
    turns: 3,
    calls: 2,
    usage: { inputTokens: 10, outputTokens: 2 },
  });
  expect(messages.map(({ role }) => role)).toEqual(['user', 'model', 'user', 'model', 'user', 'model']);
  expect(messages[2]?.parts[0]?.functionResponse).toEqual({
    id: 'x',
    name: 'work',
    response: { output: 'work done' },
  });
  expect(recorded).toEqual(messages);
});

it('the agent shows the model the tools and everything said so far', async () => {
  const model = scriptedModel(call('work'), say('ok'));
  await run(model);
  expect(model.requests[1]?.tools.map(({ name }) => name)).toEqual(['work']);
  expect(model.requests[1]?.messages).toHaveLength(3);
});

it('the agent stops at the turn limit', async () => {
  const { result } = await run(scriptedModel(call('work'), call('work'), call('work')), {
    budget: { turns: 2 },
  });
  expect(result).toMatchObject({ reason: 'turn-limit', turns: 2, calls: 2 });
});

it('the agent refuses a call that was cut off by the length limit and lets the model try again', async () => {
  const { result, messages } = await run(scriptedModel(call('work', {}, 'length'), say('smaller then')));
  expect(messages[2]?.parts[0]?.functionResponse?.response).toMatchObject({
    code: 'invalid_params',
    error: expect.stringMatching(/cut off/),
  });
  expect(result.response).toBe('smaller then');
});

describe('an answer that breaks off', () => {
  it('ends the prompt with the error and what was said so far', async () => {
    const model: ModelClient = {
      provider: 'p',
      model: 'm',
      async *stream() {
        yield { type: 'text-delta', text: 'Half an ans' } as const;
        throw new ModelError('network', 'The connection to the model broke. Try again.');
      },
    };
    const { result, events } = await run(model);
    expect(result).toMatchObject({
      reason: 'failed',
      response: 'Half an ans',
      error: { kind: 'network', message: 'The connection to the model broke. Try again.' },
    });
    expect(events.at(-1)?.type).toBe('result');
  });

  it('and comes again is taken back: neither its text nor its calls count', async () => {
    const model = scriptedModel([
      { type: 'text-delta', text: 'Half an ans' },
      { type: 'call', call: { id: 'x', name: 'work', arguments: {} } },
      { type: 'restart', message: 'Again from here.' },
      ...say('A whole answer.'),
    ]);
    const { result, events, messages } = await run(model);
    expect(result).toMatchObject({ reason: 'done', response: 'A whole answer.', calls: 0 });
    expect(events.filter(({ type }) => type !== 'usage-report' && type !== 'result')).toEqual([
      { type: 'text-delta', text: 'Half an ans' },
      { type: 'answer-restart', text: 'Half an ans', message: 'Again from here.' },
      { type: 'text-delta', text: 'A whole answer.' },
    ]);
    expect(messages).toHaveLength(2);
  });

  it('because the user cancelled is not reported as an error', async () => {
    const controller = new AbortController();
    const model = scriptedModel(async () => {
      controller.abort({ kind: 'user' });
      throw controller.signal.reason;
    });
    const { result } = await run(model, { signal: controller.signal });
    expect(result).toMatchObject({ reason: 'cancelled' });
    expect(result.error).toBeUndefined();
  });
});

it('the agent stops at the limit of calls', async () => {
  const { result } = await run(scriptedModel(call('work'), call('work', { n: 2 }), call('work', { n: 3 })), {
    budget: { calls: 2 },
  });
  expect(result).toMatchObject({ reason: 'call-limit', calls: 2 });
});

it('the agent has no limit of turns or calls unless one is set', async () => {
  const ten = (turn: number) => Array.from({ length: 10 }, (_, n) => call('work', { turn, n })[0]!);
  const many = Array.from({ length: 110 }, (_, turn) => [...ten(turn), ...call('work').slice(1)]);
  const { result } = await run(scriptedModel(...many), { budget: { turns: undefined, calls: undefined } });
  expect(result).toMatchObject({ reason: 'done', turns: 111, calls: 1_100 });
});

describe('an empty answer', () => {
  const nothing = (reason: FinishReason, thought?: string): ModelEvent[] => [
    { type: 'usage', usage: { inputTokens: 10, outputTokens: 2 } },
    { type: 'finish', reason, parts: thought === undefined ? [] : [{ text: thought, thought: true }] },
  ];

  it('is asked for once more, counted, and not kept', async () => {
    const { result, messages, events } = await run(scriptedModel(nothing('stop', 'Hm.'), say('Yes.')));
    expect(result).toMatchObject({ reason: 'done', response: 'Yes.', turns: 1, usage: { inputTokens: 20 } });
    expect(messages).toHaveLength(2);
    expect(events).toContainEqual({
      type: 'notice',
      message: 'scripted gave an empty answer. Asking once more.',
    });
  });

  it.each<[FinishReason, RegExp]>([
    ['stop', /^scripted gave an empty answer\. It was asked 2 times\./],
    ['length', /: its limit for one answer was used up before the first word\. It was asked 2 times\./],
    ['filter', /: a filter of the model's host held it back\. It was asked 2 times\./],
    ['other', /^scripted gave an empty answer\. It was asked 2 times\./],
  ])('twice, for the reason %s, is a failure that says so', async (reason, message) => {
    const { result } = await run(scriptedModel(nothing(reason), nothing(reason), say('too late')));
    expect(result).toMatchObject({
      reason: 'failed',
      error: { kind: 'empty', message: expect.stringMatching(message) },
    });
  });
});

it.each<[FinishReason, string[]]>([
  ['stop', []],
  [
    'length',
    [
      'scripted did not finish its answer: the limit for one answer is used up. Ask it to continue for the rest.',
    ],
  ],
  ['filter', ["scripted did not finish its answer: a filter of the model's host held the rest back."]],
])('an answer that ends for the reason %s is told where it is not whole', async (reason, told) => {
  const half: ModelEvent[] = [
    { type: 'text-delta', text: 'First, ' },
    { type: 'finish', reason, parts: [{ text: 'First, ' }] },
  ];
  const { result, events } = await run(scriptedModel(half));
  expect(result).toMatchObject({ reason: 'done', response: 'First, ' });
  expect(events.flatMap((event) => (event.type === 'notice' ? [event.message] : []))).toEqual(told);
});

describe('a model that goes round in circles', () => {
  it('is told after the third time and stopped after the sixth', async () => {
    const { result, messages } = await run(scriptedModel(...Array.from({ length: 10 }, () => call('work'))));
    const notes = messages
      .flatMap(({ parts }) => parts.flatMap((part) => part.functionResponse ?? []))
      .map(({ response }) => response?.['notes']);
    expect(notes.slice(0, 3)).toEqual([
      undefined,
      undefined,
      [expect.stringMatching(/^This exact call has now given this exact result 3 times/)],
    ]);
    expect(result).toMatchObject({ reason: 'failed', turns: 6, error: { kind: 'loop' } });
  });

  it('reads in each request what the journal says of its calls, notes included', async () => {
    const model = scriptedModel(...Array.from({ length: 4 }, () => call('work')), say('done'));
    const { records } = await run(model);
    const journalled = records.flatMap((record) => (record.type === 'call-end' ? [record.response] : []));
    const told = model.requests
      .at(-1)
      ?.messages.flatMap(({ parts }) => parts.flatMap((part) => part.functionResponse ?? []));
    expect(journalled).toHaveLength(4);
    expect(journalled.at(-1)?.response?.['notes']).toHaveLength(1);
    expect(told).toEqual(journalled);
  });

  it('is not one that makes different calls', async () => {
    const { result } = await run(
      scriptedModel(...Array.from({ length: 8 }, (_, n) => call('work', { n })), say('done')),
    );
    expect(result.reason).toBe('done');
  });
});

describe('a history that the model does not take', () => {
  const overflow = () => {
    throw new ModelError('context-overflow', 'Too long.');
  };

  it('is shortened to the task, a summary and the latest messages when it overflows', async () => {
    const model = {
      ...scriptedModel(
        call('work', { n: 1 }),
        overflow,
        say('They wanted work; one step is done.'),
        say('finished'),
      ),
      capabilities: { images: true, pdf: true, audio: false, contextWindow: 50 },
    };
    const { result, histories } = await run(model);
    expect(result).toMatchObject({ reason: 'done', response: 'finished' });
    const summary = histories[0]?.[0]?.parts[0]?.text ?? '';
    expect(summary).toMatch(/^\[What the user asked for, word for word\]\nplease\n/);
    expect(summary).toContain('They wanted work; one step is done.');
  });

  it('is shortened before it overflows, by the real size the model reported', async () => {
    const full: ModelEvent[] = [
      { type: 'usage', usage: { inputTokens: 45, outputTokens: 3 } },
      ...call('work'),
    ];
    const model = {
      ...scriptedModel(full, say('A summary.'), say('done')),
      capabilities: { images: true, pdf: true, audio: false, contextWindow: 50 },
    };
    const { result, events } = await run(model);
    expect(result.response).toBe('done');
    expect(events.filter(({ type }) => type === 'notice')).toMatchObject([
      { message: expect.stringContaining('is being summarised'), passing: true },
      { message: expect.stringContaining('is now a summary') },
    ]);
  });

  it('is shortened before the next prompt where the last answer had no calls', async () => {
    const model = {
      ...scriptedModel(say('Hello.'), say('A summary.'), say('Hello again.')),
      // An answer of this model takes 12 tokens.
      capabilities: { images: true, pdf: true, audio: false, contextWindow: 14 },
    };
    const { messages, histories } = await run(model);
    expect(histories).toEqual([]);
    const next = await run(model, { messages });
    expect(next.result.response).toBe('Hello again.');
    expect(next.histories).toHaveLength(1);
  });

  it('is sent again without its images when the model refuses it', async () => {
    const refuse = () => {
      throw new ModelError('bad-request', 'Invalid image.');
    };
    const model = scriptedModel(refuse, say('I see no image.'));
    const messages: Message[] = [];
    const bench = await createCallBench({ tools: [] });
    const result = await runPrompt(
      [{ text: 'look' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
      {
        model,
        scheduler: { run: (calls, signal, batch) => bench.run([...calls], signal, batch) },
        declarations: () => [],
        system: '',
        messages,
        clean: (message) => message,
        record: async () => {},
        recordHistory: async () => {},
        contextOf: async () => '',
        log: { path: '', error: () => undefined },
        emit: () => {},
        budget: { turns: 5, calls: 5 },
      },
      new AbortController().signal,
    );
    expect(result.response).toBe('I see no image.');
    expect(model.requests[1]?.messages[0]?.parts[1]).toEqual({
      text: '[image/png left out: the model refused it]',
    });
  });
});
