import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createClock, createIds, silentLog } from '@toolwright/machine/host/node-host.js';
import { createGuardedHttp } from '@toolwright/machine/host/web/guarded-http.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedTool } from '../testing/scripted-tool.js';
import { WebFetchTool } from '../tools/web-fetch.js';
import { type ClientOptions, connectOfficially, type Revision } from './fixtures/official-client.js';
import { post } from './fixtures/post.js';
import { openServingBench } from './fixtures/serving-bench.js';
import { serveHttp } from './http/serve-http.js';

const TOKEN = 'a-token-for-tests-0123456789';
const long = Array.from({ length: 4_000 }, (_, index) => `line ${index + 1} of a long page`).join('\n');
let web: Server;

beforeAll(async () => {
  web = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.end(request.url === '/long' ? `${long}\nthe secret is hunter2-hunter2` : 'a short page');
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
});
afterAll(() => void web.close());

/** `web_fetch` without a model of its own, served over HTTP. */
async function serveFetch(questionLimitMs = 60_000) {
  const fetch = createGuardedHttp({
    resolve: async () => ['93.184.215.14'],
    connect: async () => connect({ host: '127.0.0.1', port: (web.address() as AddressInfo).port }),
  });
  const real = new WebFetchTool(
    { ids: createIds(), log: silentLog },
    { fetch, saveOutput: async (name) => `/saved/${name}` },
  );
  const tool = scriptedTool('web_fetch', {
    schema: { ...real.parameterSchema },
    effects: [],
    more: { execute: (params, ...rest) => real.execute(params as { url: string; prompt: string }, ...rest) },
  });
  const clean = (text: string): string => text.replaceAll('hunter2-hunter2', '[secret]');
  const { serving } = await openServingBench([tool], { questionLimitMs, clean });
  const { url, close } = await serveHttp(serving, {
    port: 0,
    token: TOKEN,
    clock: createClock(),
    log: silentLog,
  });
  return { url, token: TOKEN, close };
}

const pageAt = (path: string) => ({ url: `http://site.example${path}`, prompt: 'How many lines?' });

async function fetchThrough(
  options: ClientOptions,
  { path = '/long', questionLimitMs = 60_000 } = {},
): Promise<string> {
  const server = await serveFetch(questionLimitMs);
  const client = await connectOfficially(server, options);
  try {
    return (await client.call('web_fetch', pageAt(path))).text;
  } finally {
    await client.close();
    await server.close();
  }
}

const answered = (said: string) => ({ role: 'assistant', model: 'm', content: { type: 'text', text: said } });
const revisions: Revision[] = ['2025-11-25', '2026-07-28'];

describe.each(revisions)('a page that web_fetch gets for a client of %s', (revision) => {
  it('comes back in parts where the client can not be asked for an answer of its model', async () => {
    expect(await fetchThrough({ revision })).toContain('read on with read_file');
  });

  it('is answered by the model of the client where it is long, and nothing secret is sent for that', async () => {
    const sent: string[] = [];
    const answer = (params: unknown) => {
      sent.push(JSON.stringify(params));
      return answered('4000 lines');
    };
    const text = await fetchThrough({ revision, sampling: { tools: false, answer } });
    expect(text).toContain('4000 lines');
    expect(text).toContain('read by a side request');
    expect(sent).toHaveLength(1);
    expect(sent[0]).toContain('the secret is [secret]');
  });

  it('comes back as it is where it is short: nobody is asked', async () => {
    const answer = () => expect.unreachable('the client was asked');
    expect(await fetchThrough({ revision, sampling: { tools: true, answer } }, { path: '/short' })).toContain(
      'a short page',
    );
  });

  it('is looked into with tools where the client takes them', async () => {
    const requests: string[] = [];
    const answer = (params: unknown) => {
      requests.push(JSON.stringify(params));
      const content = [{ type: 'tool_use', id: 'x', name: 'find_in_page', input: { text: 'line 3999 ' } }];
      return requests.length === 1
        ? { role: 'assistant', model: 'm', stopReason: 'toolUse', content }
        : answered('found it');
    };
    expect(await fetchThrough({ revision, sampling: { tools: true, answer } })).toContain('found it');
    expect(requests[1]).toContain('3999: line 3999 of a long page');
  });
});

const strayCall = { type: 'tool_use', id: 'x', name: 'run_shell_command', input: {} };

it.each<[string, () => unknown]>([
  ['answers with garbage', () => ({ role: 'nobody', content: 7 })],
  ['refuses', () => Promise.reject(new Error('the user said no'))],
  ['never answers', () => new Promise(() => undefined)],
  ['calls a tool that nobody offered', () => ({ role: 'assistant', model: 'm', content: [strayCall] })],
])('a page comes back in parts where a client %s', async (_name, answer) => {
  const options = { path: '/long', questionLimitMs: 1_000 };
  const text = await fetchThrough({ sampling: { tools: false, answer } }, options);
  expect(text).toContain('read on with read_file');
});

describe('in the newer revision a client that was asked for an answer of its model', () => {
  const capabilities = { sampling: {} };
  const call = { name: 'web_fetch', arguments: pageAt('/long') };
  const again = (requestState: unknown, response: unknown) => ({
    ...call,
    requestState,
    inputResponses: { page: response },
  });

  it('is asked again after garbage, and gets the page in parts after a call of a tool that nobody offered', async () => {
    const server = await serveFetch();
    const first = await post(server, 'tools/call', call, { capabilities });
    expect(first.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { page: { method: 'sampling/createMessage' } },
    });
    let state = first.result.requestState;
    for (const garbage of [null, 'yes', { role: 'nobody' }, { role: 'assistant', content: 7 }]) {
      const { result } = await post(server, 'tools/call', again(state, garbage), { capabilities });
      expect(result.resultType).toBe('input_required');
      state = result.requestState;
    }
    const stray = { role: 'assistant', model: 'm', content: [strayCall] };
    const { result } = await post(server, 'tools/call', again(state, stray), { capabilities });
    expect(JSON.stringify(result.content)).toContain('read on with read_file');
    await server.close();
  });

  it('and does not come back finds its question gone, and nothing waits for it', async () => {
    const server = await serveFetch(100);
    const { result } = await post(server, 'tools/call', call, { capabilities });
    await new Promise((resolve) => setTimeout(resolve, 300));
    const late = again(result.requestState, answered('too late'));
    expect((await post(server, 'tools/call', late, { capabilities })).error.code).toBe(-32_602);
    await server.close();
  });
});
