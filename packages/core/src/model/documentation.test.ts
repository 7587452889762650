import { readFileSync } from 'node:fs';
import { createHttp, type Http } from '@toolwright/machine/host/http/http.js';
import { createFixedIds } from '@toolwright/machine/testing/fakes.js';
import { parse } from 'jsonc-parser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHurriedClock, hear, requestOf } from '../testing/fake-model/ask.js';
import { type FakeModelServer, startFakeModelServer } from '../testing/fake-model-server.js';
import type { ProviderName } from './accounts.js';
import { createModel, type ModelOptions } from './choose-model.js';
import type { ModelErrorKind } from './model.js';

const document = readFileSync(new URL('../../../../docs/models.md', import.meta.url), 'utf8');

/** A block of the document under its heading. */
interface Example {
  title: string;
  language: string;
  text: string;
}

/** Commands and settings; a table of prices in plain JSON configures no model. */
const examples: Example[] = [...document.matchAll(/^```(sh|jsonc)\n([\s\S]*?)^```$/gm)].map(
  (match, index) => {
    const heading = [...document.slice(0, match.index).matchAll(/^#+ (.+)$/gm)].at(-1)?.[1] ?? '';
    return { title: `${index + 1}. ${heading}`, language: match[1] ?? '', text: match[2] ?? '' };
  },
);

type Configuration = Pick<ModelOptions, 'environment' | 'provider' | 'model' | 'baseUrl' | 'apiKey'>;

/** Settings that a shell block or a block of settings makes. */
function configurationOf({ language, text }: Example): Configuration {
  if (language === 'jsonc') {
    const { model } = parse(text, [], { allowTrailingComma: true }) as { model: Record<string, string> };
    const { provider, baseUrl, apiKey, name } = model;
    const key = apiKey?.startsWith('$') ? 'the-key' : apiKey;
    return {
      environment: {},
      provider: provider as ProviderName | undefined,
      baseUrl,
      model: name,
      apiKey: key,
    };
  }
  const variables = [...text.matchAll(/^export (\w+)=(\S+)$/gm)].map((match) => [match[1], match[2]]);
  const flag = (name: string) => new RegExp(`--${name} (\\S+)`).exec(text)?.[1];
  const [provider, model, baseUrl] = ['provider', 'model', 'base-url'].map(flag);
  return {
    environment: Object.fromEntries(variables),
    provider: provider as ProviderName | undefined,
    model,
    baseUrl,
  };
}

let server: FakeModelServer;
const real = createHttp();
const asked: string[] = [];

/** Every host of the world is the fake server. */
const everywhere: Http = {
  request: (request) => {
    const url = new URL(request.url);
    asked.push(url.href);
    return real.request({ ...request, url: `${server.url}${url.pathname}${url.search}` });
  },
};

beforeAll(async () => {
  server = await startFakeModelServer({ otherwise: { text: 'Hello.' } });
});

afterAll(async () => {
  await server.close();
  real.close();
});

function choose(configuration: Configuration, http: Http) {
  return createModel({
    ...configuration,
    host: { http, clock: createHurriedClock(), ids: createFixedIds() },
    offline: () => {
      throw new Error('The offline model was chosen.');
    },
  });
}

describe('the examples of docs/models.md', () => {
  it('the documentation holds many examples of requests', () => {
    expect(examples.length).toBeGreaterThanOrEqual(13);
  });

  it.each(examples)('$title is answered as written', async (example) => {
    const configuration = configurationOf(example);
    const { client, choice } = await choose(configuration, everywhere);
    const { text, error } = await hear(client, requestOf('Hi'));
    expect([text, error]).toEqual(['Hello.', undefined]);
    const { headers, body, path } = server.requests.at(-1)!;
    const written = JSON.stringify(configuration);
    const model =
      configuration.model ??
      Object.entries(configuration.environment).find(([name]) => name.endsWith('_MODEL'))?.[1];
    expect(choice.model).toBe(model);
    expect(body['model'] ?? decodeURIComponent(path)).toContain(model);
    const host = new URL(asked.at(-1)!).host;
    if (/https?:/.test(written)) expect(written).toContain(host);
    const key =
      configuration.apiKey ??
      Object.entries(configuration.environment).find(([name]) => name.endsWith('_KEY'))?.[1];
    if (key) expect(Object.values(headers).join(' ')).toContain(key);
  });
});

const rows = [...document.matchAll(/^\| (Ollama|LM Studio|llama\.cpp|vLLM) +\| (\d+) /gm)];

it('names the ports that are asked, in the order in which they count', async () => {
  expect(rows.map((row) => row[1])).toEqual(['Ollama', 'LM Studio', 'llama.cpp', 'vLLM']);
  for (const [, label, port] of rows) {
    const onlyThere: Http = {
      request: (request) => {
        const url = new URL(request.url);
        const there = url.hostname === '127.0.0.1' && url.port === port;
        return real.request({
          ...request,
          url: there ? `${server.url}${url.pathname}` : 'http://127.0.0.1:9/',
        });
      },
    };
    const { choice } = await choose({ environment: {} }, onlyThere);
    expect(choice).toMatchObject({ label, baseUrl: `http://127.0.0.1:${port}/v1`, model: 'fake-model' });
  }
});

it('docs/models.md describes every kind of error', () => {
  const told = [...document.matchAll(/^\| `([a-z-]+)` /gm)].map((row) => row[1]);
  const kinds: Record<ModelErrorKind, true> = {
    auth: true,
    model: true,
    'rate-limit': true,
    overload: true,
    'context-overflow': true,
    'bad-request': true,
    network: true,
    protocol: true,
    empty: true,
  };
  expect(told.sort()).toEqual(Object.keys(kinds).sort());
});
