import http, { type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttp } from '@toolwright/machine/host/http/http.js';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createSearchProvider,
  type SearchOptions,
  searchProblem,
  trySearch,
} from './create-search-provider.js';
import { SearchError, type SearchProviderName } from './search-provider.js';

const signal = new AbortController().signal;
const KEY = 'sk-very-secret-123';

interface Seen {
  method: string;
  url: string;
  headers: http.IncomingHttpHeaders;
  body: unknown;
}

let server: http.Server | undefined;
const client = createHttp();
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function fake(status: number, answer: unknown, headers: Record<string, string> = {}) {
  const seen: Seen[] = [];
  server = http.createServer(async (request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    seen.push({
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: body && JSON.parse(body),
    });
    response.writeHead(status, headers).end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, seen };
}

function provider(name: SearchProviderName, options: SearchOptions) {
  const made = createSearchProvider({ provider: name, apiKey: KEY, engineId: 'cx-1', ...options }, client);
  if (!made) throw new Error('no provider');
  return made;
}

const search = (name: SearchProviderName, options: SearchOptions) =>
  provider(name, options).search({ query: 'rust async', count: 5, signal });

describe('a search', () => {
  it('asks Tavily and reads its answer', async () => {
    const { baseUrl, seen } = await fake(200, {
      results: [
        {
          title: 'A',
          url: 'https://a.example/',
          content: 'About a',
          score: 0.9,
          published_date: '2024-01-02',
        },
        { title: 'Twice', url: 'https://a.example/', content: 'again' },
        { title: 'No web', url: 'javascript:alert(1)', content: 'x' },
        { url: 'https://b.example/', content: 'About &amp; b' },
      ],
    });
    expect(await search('tavily', { baseUrl })).toEqual({
      hits: [
        { title: 'A', url: 'https://a.example/', snippet: 'About a', date: '2024-01-02' },
        { title: 'https://b.example/', url: 'https://b.example/', snippet: 'About & b', date: '' },
      ],
      summary: '',
    });
    expect(seen[0]).toMatchObject({
      method: 'POST',
      url: '/search',
      body: { query: 'rust async', max_results: 5 },
    });
    expect(seen[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  it('asks Brave Search and reads its answer', async () => {
    const { baseUrl, seen } = await fake(200, {
      web: {
        results: [
          {
            title: '<b>A</b>',
            url: 'https://a.example/',
            description: 'the <strong>async</strong> book',
            page_age: '2024-03-01T00:00:00',
            age: 'March 1',
          },
        ],
      },
    });
    expect((await search('brave', { baseUrl })).hits).toEqual([
      { title: 'A', url: 'https://a.example/', snippet: 'the async book', date: '2024-03-01T00:00:00' },
    ]);
    expect(seen[0]?.url).toBe('/res/v1/web/search?q=rust+async&count=5&text_decorations=false');
    expect(seen[0]?.headers['x-subscription-token']).toBe(KEY);
  });

  it('asks Google Custom Search and reads its answer', async () => {
    const { baseUrl, seen } = await fake(200, {
      items: [
        {
          title: 'A',
          link: 'https://a.example/',
          snippet: 's',
          pagemap: { metatags: [{ 'article:published_time': '2023-05-05' }] },
        },
      ],
    });
    expect((await search('google', { baseUrl })).hits).toEqual([
      { title: 'A', url: 'https://a.example/', snippet: 's', date: '2023-05-05' },
    ]);
    expect(seen[0]?.url).toBe('/customsearch/v1?cx=cx-1&q=rust+async&num=5');
    expect(seen[0]?.headers['x-goog-api-key']).toBe(KEY);
  });

  it('asks SearXNG without a key and reads its answer', async () => {
    const { baseUrl, seen } = await fake(200, {
      results: [{ title: 'A', url: 'https://a.example/', content: 'c', publishedDate: null }],
    });
    const made = createSearchProvider({ provider: 'searxng', baseUrl }, client);
    expect((await made?.search({ query: 'x', count: 5, signal }))?.hits).toEqual([
      { title: 'A', url: 'https://a.example/', snippet: 'c', date: '' },
    ]);
    expect(seen[0]?.url).toBe('/search?q=x&format=json');
    expect(seen[0]?.headers.authorization).toBeUndefined();
  });

  it('asks DashScope and reads its answer', async () => {
    const { baseUrl, seen } = await fake(200, {
      output: {
        choices: [{ message: { role: 'assistant', content: 'It is async [1].' } }],
        search_info: {
          search_results: [
            { index: 2, title: 'B', url: 'https://b.example/', site_name: 'b' },
            { index: 1, title: 'A', url: 'https://a.example/', site_name: 'Site a' },
          ],
        },
      },
    });
    expect(await search('dashscope', { baseUrl })).toEqual({
      hits: [
        { title: 'A', url: 'https://a.example/', snippet: 'Site a', date: '' },
        { title: 'B', url: 'https://b.example/', snippet: 'b', date: '' },
      ],
      summary: 'It is async [1].',
    });
    expect(seen[0]).toMatchObject({
      url: '/api/v1/services/aigc/text-generation/generation',
      body: {
        model: 'qwen-plus',
        parameters: { enable_search: true, search_options: { enable_source: true, forced_search: true } },
      },
    });
  });

  it('asks Gemini and reads its answer, with the places of its citations counted in bytes', async () => {
    const { baseUrl, seen } = await fake(200, {
      candidates: [
        {
          content: { parts: [{ text: 'Grüße: Tokio is a runtime. Async is stable.' }] },
          groundingMetadata: {
            groundingChunks: [
              { web: { uri: 'https://a.example/', title: 'a.example' } },
              { web: { uri: 'bad', title: 'b' } },
            ],
            groundingSupports: [
              { segment: { endIndex: 45, text: 'Async is stable.' }, groundingChunkIndices: [0, 1] },
              { segment: { endIndex: 28, text: 'Tokio is a runtime.' }, groundingChunkIndices: [0] },
            ],
          },
        },
      ],
    });
    expect(await search('gemini', { baseUrl, model: 'gemini-x' })).toEqual({
      hits: [
        {
          title: 'a.example',
          url: 'https://a.example/',
          snippet: 'Async is stable. … Tokio is a runtime.',
          date: '',
        },
        { title: 'b', url: '', snippet: 'Async is stable.', date: '' },
      ],
      summary: 'Grüße: Tokio is a runtime.[1] Async is stable.[1][2]',
    });
    expect(seen[0]).toMatchObject({
      url: '/v1beta/models/gemini-x:generateContent',
      body: { tools: [{ google_search: {} }] },
    });
  });
});

describe('failures are told apart', () => {
  const rows: [SearchProviderName, number, unknown, string][] = [
    ['tavily', 401, { detail: { error: 'Unauthorized: missing or invalid API key.' } }, 'key'],
    [
      'tavily',
      429,
      { detail: { error: 'Your request has been blocked due to excessive requests.' } },
      'rate',
    ],
    ['tavily', 432, { detail: { error: "This request exceeds your plan's set usage limit." } }, 'quota'],
    ['tavily', 433, { detail: { error: 'pay-as-you-go limit' } }, 'quota'],
    ['tavily', 500, { detail: { error: 'Internal' } }, 'unreachable'],
    [
      'brave',
      422,
      {
        error: { code: 'SUBSCRIPTION_TOKEN_INVALID', detail: 'The provided subscription token is invalid.' },
      },
      'key',
    ],
    [
      'brave',
      429,
      { error: { code: 'RATE_LIMITED', detail: 'Request rate limit exceeded for plan.' } },
      'rate',
    ],
    ['brave', 429, { error: { code: 'QUOTA_LIMITED', detail: 'Quota exceeded' } }, 'quota'],
    ['brave', 403, {}, 'key'],
    [
      'google',
      400,
      {
        error: {
          code: 400,
          message: 'API key not valid. Please pass a valid API key.',
          details: [{ reason: 'API_KEY_INVALID' }],
        },
      },
      'key',
    ],
    [
      'google',
      403,
      {
        error: {
          message: 'Custom Search API has not been used in project',
          errors: [{ reason: 'accessNotConfigured' }],
        },
      },
      'key',
    ],
    [
      'google',
      429,
      {
        error: {
          message: "Quota exceeded for quota metric 'Queries' and limit 'Queries per day'",
          status: 'RESOURCE_EXHAUSTED',
        },
      },
      'quota',
    ],
    [
      'google',
      429,
      {
        error: { message: "limit 'Queries per minute per user'", errors: [{ reason: 'rateLimitExceeded' }] },
      },
      'rate',
    ],
    ['google', 400, { error: { message: 'Request contains an invalid argument.' } }, 'answer'],
    ['searxng', 403, 'Forbidden', 'setup'],
    ['searxng', 429, 'Too Many Requests', 'rate'],
    ['searxng', 200, '<html>results</html>', 'answer'],
    ['dashscope', 401, { code: 'InvalidApiKey', message: 'Invalid API-key provided.' }, 'key'],
    ['dashscope', 429, { code: 'Throttling.RateQuota', message: 'Requests rate limit exceeded' }, 'rate'],
    [
      'dashscope',
      400,
      { code: 'Arrearage', message: 'Access denied, please make sure your account is in good standing.' },
      'quota',
    ],
    [
      'gemini',
      400,
      { error: { message: 'API key not valid.', details: [{ reason: 'API_KEY_INVALID' }] } },
      'key',
    ],
    [
      'gemini',
      429,
      { error: { message: 'You exceeded your current quota, please check your plan and billing details.' } },
      'quota',
    ],
    ['gemini', 503, { error: { message: 'The model is overloaded.' } }, 'unreachable'],
  ];
  it.each(rows)('%s %i %j is %s', async (name, status, answer, reason) => {
    const { baseUrl } = await fake(status, answer);
    const error = await search(name, { baseUrl }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SearchError);
    expect((error as SearchError).reason).toBe(reason);
  });

  it('says what to do, in words for the model', async () => {
    const { baseUrl } = await fake(
      429,
      { error: { code: 'RATE_LIMITED', detail: 'slow down' } },
      { 'retry-after': '2' },
    );
    await expect(search('brave', { baseUrl })).rejects.toThrow(
      'Brave Search is being asked too often (429: slow down). Wait for 2 s and search again.',
    );
  });

  it('never shows the key', async () => {
    const { baseUrl } = await fake(401, { detail: { error: `bad key ${KEY}` } });
    const error = await search('tavily', { baseUrl }).catch((thrown: Error) => thrown);
    expect(String(error)).not.toContain(KEY);
    expect(String(error)).toContain('bad key ***');
  });

  it('tells of a service that nobody runs', async () => {
    await expect(search('tavily', { baseUrl: 'http://127.0.0.1:1' })).rejects.toMatchObject({
      reason: 'unreachable',
    });
  });

  it('an answer of the wrong shape has no hits', async () => {
    const { baseUrl } = await fake(200, { results: 'none', web: [] });
    expect((await search('tavily', { baseUrl })).hits).toEqual([]);
  });
});

describe('what the user configured', () => {
  it.each<[SearchOptions, string | null]>([
    [
      {},
      'Web search is off. To turn it on, set web.search.provider (tavily, brave, google, searxng, dashscope, gemini) in the user settings, and its key in web.search.apiKey.',
    ],
    [{ provider: 'brave' }, 'Web search with Brave Search needs web.search.apiKey in the user settings.'],
    [
      { provider: 'google' },
      'Web search with Google Custom Search needs web.search.apiKey and web.search.engineId in the user settings.',
    ],
    [{ provider: 'searxng' }, 'Web search with SearXNG needs web.search.baseUrl in the user settings.'],
    [{ provider: 'searxng', baseUrl: 'http://localhost:8888' }, null],
    [{ provider: 'gemini', apiKey: 'k' }, null],
  ])('is checked: %j', (options, problem) => {
    expect(searchProblem(options)).toBe(problem);
    expect(createSearchProvider(options, client) === null).toBe(problem !== null);
  });

  it('is tried for the doctor', async () => {
    const good = await fake(200, { results: [{ title: 'A', url: 'https://a.example/', content: '' }] });
    expect(await trySearch(provider('tavily', good), signal)).toEqual({
      ok: true,
      message: 'Tavily answers (1 result).',
    });
    const bad = await fake(401, {});
    expect(await trySearch(provider('tavily', bad), signal)).toMatchObject({ ok: false });
  });
});
