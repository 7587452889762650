import { SettingsError } from '@toolwright/machine/base/errors.js';
import { createHttp } from '@toolwright/machine/host/http/http.js';
import { createFakeClock, createFixedIds } from '@toolwright/machine/testing/fakes.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hear, requestOf } from '../testing/fake-model/ask.js';
import { type FakeModelServer, startFakeModelServer } from '../testing/fake-model-server.js';
import { needsResponses } from './accounts.js';
import { createModel, type ModelOptions } from './choose-model.js';
import { type ModelClient, ModelError } from './model.js';

let server: FakeModelServer;
const host = { http: createHttp(), clock: createFakeClock(), ids: createFixedIds() };
const offlineClient: ModelClient = {
  provider: 'offline',
  model: 'offline',
  // biome-ignore lint/correctness/useYield: it is never asked.
  async *stream() {
    throw new Error('not asked in these tests');
  },
};
const nothing = { ollama: 9, lmstudio: 9, llamacpp: 9, vllm: 9 };

beforeAll(async () => {
  server = await startFakeModelServer({ otherwise: { text: 'hello' }, models: ['local-model'] });
});

afterAll(async () => {
  await server.close();
  host.http.close();
});

function choose(options: Partial<ModelOptions>) {
  return createModel({
    environment: {},
    host,
    offline: () => offlineClient,
    localServers: { ports: nothing },
    ...options,
  });
}

describe('the environment', () => {
  it.each<[Record<string, string>, object]>([
    [
      { OPENAI_API_KEY: 'k' },
      {
        provider: 'openai',
        label: 'OpenAI',
        baseUrl: 'https://api.openai.com/v1',
        reason: 'OPENAI_API_KEY is set.',
      },
    ],
    [
      { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'https://openrouter.ai/api/v1/', OPENAI_MODEL: 'm' },
      { provider: 'openai', label: 'OpenRouter', baseUrl: 'https://openrouter.ai/api/v1', model: 'm' },
    ],
    [
      { ANTHROPIC_API_KEY: 'k', ANTHROPIC_MODEL: 'claude-x' },
      { provider: 'anthropic', label: 'Anthropic', model: 'claude-x', reason: 'ANTHROPIC_API_KEY is set.' },
    ],
    [{ GEMINI_API_KEY: 'k' }, { provider: 'gemini', baseUrl: 'https://generativelanguage.googleapis.com' }],
    [
      { GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:1/g' },
      { provider: 'gemini', baseUrl: 'http://127.0.0.1:1/g' },
    ],
    [
      { DASHSCOPE_API_KEY: 'k' },
      {
        provider: 'openai',
        label: 'DashScope',
        model: 'qwen3-coder-plus',
        baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
      },
    ],
    [
      { OPENAI_BASE_URL: 'localhost:8000/v1', OPENAI_MODEL: 'm' },
      { provider: 'openai', label: 'The local server', baseUrl: 'http://localhost:8000/v1' },
    ],
    [{ OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' }, { provider: 'openai' }],
  ])('%j leads to %j', async (environment, choice) => {
    expect((await choose({ environment })).choice).toMatchObject({ ...choice, found: [] });
  });

  it.each<[string, string]>([
    ['claude-sonnet-4-5', 'anthropic'],
    ['gemini-2.5-flash', 'gemini'],
    ['gpt-4o', 'openai'],
    ['mystery', 'openai'],
  ])('with every key set, the model %s goes to %s', async (model, provider) => {
    const environment = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', GEMINI_API_KEY: 'k' };
    expect((await choose({ environment, model })).choice).toMatchObject({ provider, model });
  });
});

it('a provider that the settings took from a variable is explained by that variable', async () => {
  const { choice } = await choose({
    environment: { OPENAI_API_KEY: 'k' },
    provider: 'openai',
    apiKey: 'k',
    chosenBy: 'OPENAI_API_KEY',
  });
  expect(choice).toMatchObject({ provider: 'openai', reason: 'OPENAI_API_KEY is set.' });
});

describe('explicit options', () => {
  it('win over the environment', async () => {
    const environment = { OPENAI_API_KEY: 'k', OPENAI_MODEL: 'other', ANTHROPIC_API_KEY: 'k' };
    const { choice } = await choose({
      environment,
      provider: 'anthropic',
      model: 'claude-y',
      baseUrl: 'http://127.0.0.1:5',
    });
    expect(choice).toMatchObject({
      provider: 'anthropic',
      model: 'claude-y',
      baseUrl: 'http://127.0.0.1:5',
      reason: 'A base address was given.',
    });
  });

  it('with an address never send the key of another provider there', async () => {
    const environment = { ANTHROPIC_API_KEY: 'secret-of-anthropic', GEMINI_API_KEY: 'secret-of-gemini' };
    const { client, choice } = await choose({ environment, baseUrl: server.baseUrls.openai, model: 'm' });
    expect(choice).toMatchObject({
      provider: 'openai',
      reason: 'A base address was given; Chat Completions is assumed.',
    });
    expect((await hear(client, requestOf('x'))).text).toBe('hello');
    expect(JSON.stringify(server.requests.at(-1)?.headers)).not.toContain('secret');
  });

  it.each<[string, string]>([
    ['https://api.anthropic.com', 'anthropic'],
    ['https://generativelanguage.googleapis.com', 'gemini'],
    ['https://generativelanguage.googleapis.com/v1beta/openai', 'openai'],
    ['https://api.deepseek.com', 'openai'],
  ])('take the format of %s from its address', async (baseUrl, provider) => {
    expect((await choose({ baseUrl, apiKey: 'k' })).choice.provider).toBe(provider);
  });

  it('with the provider "offline" look for nothing', async () => {
    const { client, choice } = await choose({
      provider: 'offline',
      localServers: { ports: { ollama: server.port } },
    });
    expect(client).toBe(offlineClient);
    expect(choice).toMatchObject({
      provider: 'offline',
      found: [],
      reason: 'You chose the offline provider.',
    });
  });

  it('with the Responses format speak it with any host, and name it in the choice', async () => {
    const baseUrl = server.baseUrls.openai;
    const { client, choice } = await choose({ provider: 'openai-responses', baseUrl, model: 'm' });
    expect(choice.provider).toBe('openai-responses');
    expect((await hear(client, requestOf('x'))).text).toBe('hello');
    expect(server.requests.at(-1)?.path).toMatch(/\/responses$/);
  });

  it.each([
    ['api.openai.com', 'gpt-5.1-codex', true],
    ['eu.api.openai.com', 'gpt-5.1-codex-mini', true],
    ['api.openai.com', 'o3-pro', true],
    ['api.openai.com', 'gpt-5.1', false],
    ['api.openai.com', 'o3', false],
    ['openrouter.ai', 'openai/gpt-5.1-codex', false],
    ['127.0.0.1', 'gpt-5.1-codex', false],
    ['notopenai.com', 'o3-pro', false],
  ])('of %s take the Responses format for %s: %s', (hostname, model, expected) => {
    expect(needsResponses(hostname, model)).toBe(expected);
  });

  it.each(['anthropic', 'gemini', 'openai', 'openai-responses'] as const)(
    'without a key for %s say which variable to set',
    async (provider) => {
      const failure = await choose({ provider }).catch((error) => error);
      expect(failure).toBeInstanceOf(ModelError);
      expect(failure).toMatchObject({ kind: 'auth' });
      expect(failure.message).toMatch(/^The provider ".*" needs a key: set [A-Z]+_API_KEY/);
    },
  );

  it('refuse an address that is none', async () => {
    await expect(choose({ baseUrl: 'ftp://x' })).rejects.toThrow(
      'The base address "ftp://x" is not an http or https address.',
    );
  });
});

describe('with nothing configured', () => {
  it('a server on this machine is used, and how to keep to it is said', async () => {
    const { client, choice } = await choose({
      localServers: { ports: { ...nothing, lmstudio: server.port } },
    });
    const baseUrl = `http://127.0.0.1:${server.port}/v1`;
    expect(choice).toEqual({
      provider: 'openai',
      model: 'local-model',
      label: 'LM Studio',
      baseUrl,
      reason: `LM Studio answers on this machine. To stay with it: --base-url ${baseUrl} --model local-model`,
      found: [{ kind: 'lmstudio', label: 'LM Studio', baseUrl, models: ['local-model'] }],
    });
    expect((await hear(client, requestOf('x'))).text).toBe('hello');
  });

  it('a model asked for by name must be there', async () => {
    const localServers = { ports: { ...nothing, ollama: server.port } };
    expect((await choose({ localServers, model: 'local-model' })).choice.label).toBe('Ollama');
    const failure = await choose({ localServers, model: 'other' }).catch((error) => error);
    expect(failure).toBeInstanceOf(SettingsError);
    expect(failure.message).toContain(
      'No host is configured for the model other (on this machine: local-model).',
    );
  });

  it('and no server, the offline model answers', async () => {
    expect((await choose({})).choice).toMatchObject({
      provider: 'offline',
      reason: 'No key is set and no model server answers on this machine.',
    });
    expect((await choose({ localServers: false })).choice.provider).toBe('offline');
  });

  it('and a server without a model, the offline model says so', async () => {
    const empty = await startFakeModelServer({ models: ['only-embeddings'] });
    const { choice } = await choose({ localServers: { ports: { ...nothing, ollama: empty.port } } });
    await empty.close();
    expect(choice).toMatchObject({
      provider: 'offline',
      reason: 'No key is set, and Ollama on this machine has no model loaded.',
    });
  });
});
