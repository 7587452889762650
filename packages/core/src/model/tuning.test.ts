import { createHttp } from '@toolwright/machine/host/http/http.js';
import { createFakeClock, createFixedIds } from '@toolwright/machine/testing/fakes.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hear, requestOf } from '../testing/fake-model/ask.js';
import { type FakeModelServer, startFakeModelServer } from '../testing/fake-model-server.js';
import { createModel, type ModelOptions } from './choose-model.js';

let server: FakeModelServer;
const host = { http: createHttp(), clock: createFakeClock(), ids: createFixedIds() };
const wires = ['openai', 'openai-responses', 'anthropic', 'gemini'] as const;

beforeAll(async () => {
  server = await startFakeModelServer({ models: ['small-model', 'text-embedding-3'] });
});

afterAll(async () => {
  await server.close();
  host.http.close();
});

async function connected(wire: (typeof wires)[number], options: Partial<ModelOptions> = {}) {
  const { client } = await createModel({
    environment: {},
    host,
    offline: () => Promise.reject(new Error('not asked in these tests')),
    provider: wire,
    baseUrl: server.baseUrls[wire],
    apiKey: 'key',
    model: 'first-model',
    ...options,
  });
  return client;
}

const lastBody = (): Record<string, unknown> => server.requests.at(-1)?.body ?? {};

/** Gemini names the model in the path. */
const lastModel = (): unknown =>
  lastBody()['model'] ?? /models\/([^:]+)/.exec(server.requests.at(-1)?.path ?? '')?.[1];

describe('reasoning effort and temperature', () => {
  it.each([
    ['openai', { reasoning_effort: 'high', temperature: 0.2 }],
    ['openai-responses', { reasoning: { effort: 'high' }, temperature: 0.2 }],
    ['anthropic', { thinking: { type: 'enabled', budget_tokens: 14_976 } }],
    ['gemini', { generationConfig: { temperature: 0.2, thinkingConfig: { thinkingBudget: 24_576 } } }],
  ] as const)('reach %s in its own words', async (wire, expected) => {
    server.answer({ text: 'hello' });
    const client = await connected(wire, { tuning: { effort: 'high', temperature: 0.2 } });
    await hear(client, requestOf('hi'));
    expect(lastBody()).toMatchObject(expected);
  });

  it.each([
    [
      'openai',
      "Unsupported parameter: 'reasoning_effort' is not supported with this model.",
      'reasoning_effort',
    ],
    [
      'openai-responses',
      "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
      'effort',
    ],
    ['anthropic', 'adaptive thinking is not supported on this model', 'thinking'],
    ['gemini', 'Thinking budget is not supported for this model', 'thinkingBudget'],
  ] as const)('that %s refuses is left out from then on, and said once', async (wire, message, field) => {
    server.answer({ status: 400, body: { error: { message: message } } }, { text: 'hello' });
    const client = await connected(wire, { tuning: { effort: 'low' } });
    const { text, notices } = await hear(client, requestOf('hi'));
    expect([text, notices]).toEqual([
      'hello',
      ['first-model does not support reasoning effort; it is left out from now on.'],
    ]);
    expect(JSON.stringify(lastBody())).not.toContain(field);
  });
});

describe('a fallback model', () => {
  it.each(wires)(
    'of %s answers when the first is busy, which is said; the next request asks the first again',
    async (wire) => {
      const client = await connected(wire, { fallback: ['second-model'], retry: { attempts: 1 } });
      server.answer(
        { status: 503, body: { error: { message: 'overloaded' } } },
        { text: 'from the second' },
        { text: 'from the first' },
      );
      const { text, notices } = await hear(client, requestOf('hi'));
      expect(text).toBe('from the second');
      expect(notices.join()).toMatch(/^first-model can't answer: .* second-model is asked instead\.$/);
      expect(lastModel()).toBe('second-model');
      await hear(client, requestOf('hi'));
      expect(lastModel()).toBe('first-model');
    },
  );

  it.each(wires)('of another account is named with its provider, as in %s:NAME', async (wire) => {
    const [prefix, url] = {
      openai: ['OPENAI', 'OPENAI_BASE_URL'],
      'openai-responses': ['OPENAI', 'OPENAI_BASE_URL'],
      anthropic: ['ANTHROPIC', 'ANTHROPIC_BASE_URL'],
      gemini: ['GEMINI', 'GOOGLE_GEMINI_BASE_URL'],
    }[wire] as [string, string];
    const environment = { [`${prefix}_API_KEY`]: 'key', [url]: server.baseUrls[wire] };
    const first = wire === 'openai' ? 'anthropic' : 'openai';
    const options = { environment, fallback: [`${wire}:second-model`], retry: { attempts: 1 } };
    const client = await connected(first, options);
    server.answer({ status: 503, body: { error: { message: 'overloaded' } } }, { text: 'from the second' });
    expect((await hear(client, requestOf('hi'))).text).toBe('from the second');
    expect([server.requests.at(-1)?.wire, lastModel()]).toEqual([wire, 'second-model']);
  });

  it('is not asked where the key is wrong: another model would not mend that', async () => {
    const client = await connected('openai', { fallback: ['second-model'] });
    server.answer({ status: 401, body: { error: { message: 'bad key' } } });
    expect((await hear(client, requestOf('hi'))).error).toMatchObject({ kind: 'auth' });
  });
});

describe('the list of models', () => {
  it.each(wires)('of %s has those that can talk', async (wire) => {
    const client = await connected(wire);
    expect(await client.list?.(new AbortController().signal)).toMatchObject([{ name: 'small-model' }]);
  });
});
