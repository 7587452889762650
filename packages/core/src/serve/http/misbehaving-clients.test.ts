import type { Effect } from '@toolwright/machine/base/effect.js';
import { createClock, silentLog } from '@toolwright/machine/host/node-host.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { scriptedTool } from '../../testing/scripted-tool.js';
import { connectOfficially, type Revision } from '../fixtures/official-client.js';
import { post, sendPost } from '../fixtures/post.js';
import { openServingBench } from '../fixtures/serving-bench.js';
import type { ServingNeeds } from '../serving.js';
import { serveHttp } from './serve-http.js';

const token = 'a-token-for-tests-0123456789';
const revisions: Revision[] = ['2025-11-25', '2026-07-28'];

/** A tool that touches a path until it is let go or aborted, served over HTTP. */
async function serve(options: Partial<ServingNeeds> = {}) {
  const running: string[] = [];
  const stopped: string[] = [];
  const ends = new Map<string, () => void>();
  const tool = scriptedTool('touch', {
    schema: {
      type: 'object',
      properties: { path: { type: 'string', 'x-mcp-header': 'Path' }, kind: { type: 'string' } },
    },
    effects: ({ path, kind = 'write' }) => [{ kind, path } as Effect],
    run: ({ path }, signal) =>
      new Promise((resolve) => {
        running.push(String(path));
        ends.set(String(path), () => resolve({ llmContent: `touched ${path}`, returnDisplay: '' }));
        signal.addEventListener('abort', () => {
          stopped.push(String(path));
          resolve({ llmContent: 'stopped', returnDisplay: '' });
        });
      }),
  });
  const { serving, registry } = await openServingBench([tool], options);
  const { url, close } = await serveHttp(serving, { port: 0, token, clock: createClock(), log: silentLog });
  onTestFinished(close);
  const server = { url, token };
  const connect = async (revision: Revision) => {
    const answer = () => ({ action: 'accept' as const, content: { answer: 'once' } });
    const client = await connectOfficially(server, { revision, answer });
    onTestFinished(() => client.close());
    return client;
  };
  const count = (path: string): number => running.filter((each) => each === path).length;
  const end = async (path: string, times = 1): Promise<void> => {
    await expect.poll(() => count(path)).toBe(times);
    ends.get(path)?.();
  };
  return { server, registry, connect, running, stopped, count, end };
}

const read = (path: string) => ({ name: 'touch', arguments: { path, kind: 'read' } });
const mirrored = (path: string) => ({ headers: { 'mcp-param-path': path } });

describe.each(revisions)('over HTTP, %s,', (revision) => {
  it('calls of two clients run side by side unless their effects conflict', async () => {
    const { connect, running, count, end } = await serve();
    const [one, two] = [await connect(revision), await connect(revision)];
    const independent = [one.call('touch', { path: '/a' }), two.call('touch', { path: '/b' })];
    await expect.poll(() => running.toSorted()).toEqual(['/a', '/b']);
    const conflicting = two.call('touch', { path: '/a' });
    const reading = two.call('touch', { path: '/c', kind: 'read' });
    await end('/c');
    expect((await reading).text).toBe('touched /c');
    expect(count('/a')).toBe(1);
    await end('/a');
    await end('/a', 2);
    await end('/b');
    expect((await Promise.all([...independent, conflicting])).map(({ text }) => text)).toEqual([
      'touched /a',
      'touched /b',
      'touched /a',
    ]);
  });
});

describe('a client of the newer revision that goes away', () => {
  it('in the middle of a call has it ended, and whoever waited for that goes on', async () => {
    const { server, connect, running, stopped, end } = await serve();
    const gone = new AbortController();
    const args = { name: 'touch', arguments: { path: '/a' } };
    const asked = await post(server, 'tools/call', args, {
      ...mirrored('/a'),
      capabilities: { elicitation: {} },
    });
    const answered = {
      ...args,
      requestState: asked.result.requestState,
      inputResponses: { approval: { action: 'accept', content: { answer: 'once' } } },
    };
    const options = { ...mirrored('/a'), capabilities: { elicitation: {} }, signal: gone.signal };
    const lost = post(server, 'tools/call', answered, options).catch(() => 'lost');
    await expect.poll(() => running).toEqual(['/a']);
    const waiting = (await connect('2026-07-28')).call('touch', { path: '/a' });
    gone.abort();
    expect(await lost).toBe('lost');
    await expect.poll(() => stopped).toEqual(['/a']);
    await end('/a', 2);
    expect((await waiting).text).toBe('touched /a');
  });

  it('from its task finds it when it comes back', async () => {
    const { server, stopped, end } = await serve({ taskAfterMs: 10 });
    const { result } = await post(server, 'tools/call', read('/a'), mirrored('/a'));
    expect(result).toMatchObject({ resultType: 'task', status: 'working' });
    const { taskId } = result;
    const gone = new AbortController();
    const lost = sendPost(server, 'tasks/get', { taskId }, { signal: gone.signal }).catch(() => 'lost');
    gone.abort();
    await lost;
    await end('/a');
    await expect
      .poll(async () => (await post(server, 'tasks/get', { taskId })).result.status)
      .toBe('completed');
    expect(stopped).toEqual([]);
  });
});

describe('streams of news', () => {
  const listen = (server: { url: string; token: string }, client: string, more: object = {}) => {
    const gone = new AbortController();
    const notifications = { toolsListChanged: true, ...more };
    const opened = sendPost(
      server,
      'subscriptions/listen',
      { notifications },
      { client, signal: gone.signal },
    );
    return { opened, leave: () => gone.abort() };
  };

  it('are bounded for each client, with a clear refusal; others still listen, and streams that end make room', async () => {
    const { server, registry } = await serve();
    const flood = Array.from({ length: 40 }, () => listen(server, 'flood'));
    const responses = await Promise.all(flood.map(({ opened }) => opened));
    const refused = responses.filter(({ status }) => status === 429);
    expect([responses.length - refused.length, refused.length]).toEqual([16, 24]);
    expect(await refused[0]!.json()).toMatchObject({
      error: {
        message: 'This client has 16 streams open already. End one of these streams, then try again.',
      },
    });
    const other = listen(server, 'other');
    const response = await other.opened;
    expect(response.status).toBe(200);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let heard = '';
    registry.registerTool(scriptedTool('late'));
    while (!heard.includes('notifications/tools/list_changed')) heard += (await reader.read()).value ?? '';
    other.leave();
    for (const { leave } of flood) leave();
    const again = async (): Promise<number> => {
      const one = listen(server, 'flood');
      const { status } = await one.opened;
      one.leave();
      return status;
    };
    await expect.poll(again).toBe(200);
  });

  it('are refused for resources that do not exist, and for too many of them', async () => {
    const resources = [
      {
        list: async () => [{ uri: 'x://here', name: 'here' }],
        read: async (uri: string) => (uri === 'x://here' ? [{ uri, text: 'x' }] : null),
      },
    ];
    const { server, connect } = await serve({ resources });
    const following = async (uris: unknown[]) => {
      const { opened, leave } = listen(server, 'one', { resourceSubscriptions: uris });
      const response = await opened;
      const text = response.status === 200 ? '' : await response.text();
      leave();
      return `${response.status} ${text}`;
    };
    expect(await following(['x://here'])).toBe('200 ');
    expect(await following(['x://here', 'x://gone'])).toContain('There is no resource x://gone.');
    expect(await following([7])).toContain('There is no resource 7.');
    expect(await following(Array.from({ length: 300 }, () => 'x://here'))).toContain('At most 256 resources');
    const { client } = await connect('2025-11-25');
    await expect(client.subscribeResource({ uri: 'x://gone' })).rejects.toThrow(
      'There is no resource x://gone',
    );
  });
});

it('a header that does not repeat its argument is refused with a code of its own, and nothing runs', async () => {
  const { server, running, end } = await serve();
  const call = (headers: Record<string, string>) => post(server, 'tools/call', read('/a'), { headers });
  const wrong = [
    await call({}),
    await call({ 'mcp-param-path': '/b' }),
    await call({ 'mcp-param-path': '=?base64?%%%?=' }),
    await call({ 'mcp-param-path': `=?base64?${Buffer.from([0xff, 0xfe]).toString('base64')}?=` }),
  ];
  expect(wrong.map(({ status, error }) => [status, error.code])).toEqual(wrong.map(() => [400, -32_020]));
  expect(wrong.map(({ error }) => error.message)).toEqual([
    'The header Mcp-Param-Path is missing; it repeats an argument of the call.',
    'The header Mcp-Param-Path differs from the argument that it repeats.',
    'The header Mcp-Param-Path is not valid Base64 of UTF-8.',
    'The header Mcp-Param-Path is not valid Base64 of UTF-8.',
  ]);
  expect(running).toEqual([]);
  const right = call({ 'mcp-param-path': `=?base64?${Buffer.from('/a').toString('base64')}?=` });
  await end('/a');
  expect((await right).result.content).toEqual([{ type: 'text', text: 'touched /a' }]);
});

it('a body that is too large is refused in both revisions, and the next call is answered', async () => {
  const { server, end } = await serve();
  const large = { ...read('/a'), padding: 'x'.repeat(5 * 1024 * 1024) };
  expect((await post(server, 'tools/call', large, mirrored('/a'))).status).toBe(413);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const legacy = await fetch(server.url, { method: 'POST', headers, body: JSON.stringify(large) });
  expect(legacy.status).toBe(413);
  const next = post(server, 'tools/call', read('/a'), mirrored('/a'));
  await end('/a');
  expect((await next).status).toBe(200);
});
