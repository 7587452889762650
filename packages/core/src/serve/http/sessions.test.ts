import { Server } from '@modelcontextprotocol/server';
import { createFakeClock, type FakeClock } from '@toolwright/machine/testing/fakes.js';
import { expect, it } from 'vitest';
import { openSessions, type Sessions, type SessionsOptions } from './sessions.js';

const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
};

async function open(
  bounds: Partial<SessionsOptions> = {},
): Promise<{ sessions: Sessions; clock: FakeClock; closed: string[] }> {
  const clock = createFakeClock();
  const closed: string[] = [];
  let made = 0;
  const sessions = await openSessions({
    clock,
    idleMs: 1_000,
    ...bounds,
    connect() {
      const name = `server ${++made}`;
      const server = new Server({ name, version: '1' }, { capabilities: {} });
      server.onclose = () => closed.push(name);
      return { server, tell: () => undefined };
    },
  });
  return { sessions, clock, closed };
}

async function send(sessions: Sessions, body: object, id?: string, method = 'POST') {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(id ? { 'mcp-session-id': id } : {}),
  };
  const request = new Request('http://127.0.0.1/mcp', { method, headers });
  const response = await sessions.answer(request, method === 'POST' ? body : undefined);
  const text = await response.text();
  return { status: response.status, id: response.headers.get('mcp-session-id') ?? '', text };
}

const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };

it('a client gets an id with its first message, and is known by it until it says goodbye', async () => {
  const { sessions, closed } = await open();
  const { status, id } = await send(sessions, hello);
  expect(status).toBe(200);
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect((await send(sessions, ping, id)).text).toContain('"result":{}');
  expect((await send(sessions, ping, 'another')).status).toBe(404);
  expect((await send(sessions, ping)).status).toBe(400);
  expect((await send(sessions, {}, id, 'DELETE')).status).toBe(200);
  expect((await send(sessions, ping, id)).status).toBe(404);
  await sessions.close();
  expect(closed).toContain('server 1');
});

it('those who were silent for long make room for others', async () => {
  const { sessions, clock } = await open({ most: 9 });
  const [one, two] = [await send(sessions, hello), await send(sessions, hello)];
  clock.advance(900);
  expect((await send(sessions, ping, two.id)).status).toBe(200);
  clock.advance(200);
  expect((await send(sessions, hello)).status).toBe(200);
  expect((await send(sessions, ping, one.id)).status).toBe(404);
  expect((await send(sessions, ping, two.id)).status).toBe(200);
  await sessions.close();
});

const helloOf = (name: string) => ({
  ...hello,
  params: { ...hello.params, clientInfo: { name, version: '1' } },
});

/** The stream of news, which keeps a session in use. */
async function listen(sessions: Sessions, id: string): Promise<() => Promise<void>> {
  const headers = { accept: 'text/event-stream', 'mcp-session-id': id };
  const response = await sessions.answer(new Request('http://127.0.0.1/mcp', { headers }), undefined);
  expect(response.status).toBe(200);
  return async () => {
    await response.body?.cancel();
    await new Promise((resolve) => setImmediate(resolve));
  };
}

it('the session that was unused longest gives way to a new client, and none that is in use does', async () => {
  const { sessions, clock, closed } = await open({ most: 2, idleMs: 60_000 });
  const one = await send(sessions, helloOf('one'));
  const leave = await listen(sessions, one.id);
  clock.advance(10);
  const two = await send(sessions, helloOf('two'));
  clock.advance(10);
  const three = await send(sessions, helloOf('three'));
  expect([three.status, (await send(sessions, ping, two.id)).status]).toEqual([200, 404]);
  const leaveThree = await listen(sessions, three.id);
  const four = await send(sessions, helloOf('four'));
  expect([four.status, four.text]).toEqual([503, expect.stringContaining('Too many clients are connected.')]);
  await leave();
  expect((await send(sessions, helloOf('four'))).status).toBe(200);
  expect(closed.filter((name) => /[12]$/.test(name))).toEqual(['server 2', 'server 1']);
  await leaveThree();
  await sessions.close();
});

it('a client that opens one session after the other ends its own, and is refused when all are in use', async () => {
  const { sessions, clock } = await open({ most: 64, mostPerClient: 3, idleMs: 60_000 });
  const quiet = await send(sessions, helloOf('quiet'));
  clock.advance(10);
  const flood = await Promise.all(Array.from({ length: 100 }, () => send(sessions, helloOf('flood'))));
  const kept: string[] = [];
  for (const { id } of flood.filter(({ status }) => status === 200))
    if ((await send(sessions, ping, id)).status === 200) kept.push(id);
  expect(kept).toHaveLength(3);
  const leave = await Promise.all(kept.map((id) => listen(sessions, id)));
  const refused = await send(sessions, helloOf('flood'));
  expect([refused.status, JSON.parse(refused.text).error.message]).toEqual([
    429,
    'This client has 3 sessions already, and all of them are in use. End one of them, then try again.',
  ]);
  expect((await send(sessions, ping, quiet.id)).status).toBe(200);
  expect((await send(sessions, helloOf('another'))).status).toBe(200);
  await leave[0]?.();
  expect((await send(sessions, helloOf('flood'))).status).toBe(200);
  for (const each of leave) await each();
  await sessions.close();
});

/** A session whose client has made a call that ends when it is let go or aborted. */
async function openCall() {
  const clock = createFakeClock();
  let stopped = false;
  let finish: (value?: unknown) => void = () => undefined;
  const sessions = await openSessions({
    clock,
    absenceMs: 1_000,
    connect() {
      const server = new Server({ name: 'slow', version: '1' }, { capabilities: { tools: {} } });
      server.setRequestHandler('tools/call', async (_request, { mcpReq }) => {
        await new Promise((resolve) => {
          finish = resolve;
          mcpReq.signal.addEventListener('abort', resolve);
        });
        stopped = mcpReq.signal.aborted;
        return { content: [{ type: 'text', text: 'done' }] };
      });
      return { server, tell: () => undefined };
    },
  });
  const { id } = await send(sessions, hello);
  const request = (method: string, more: Record<string, string> = {}) =>
    new Request('http://127.0.0.1/mcp', {
      method,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': id,
        'mcp-protocol-version': '2025-11-25',
        ...more,
      },
    });
  const call = { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'slow', arguments: {} } };
  const response = await sessions.answer(request('POST'), call);
  /** Asks for the stream after this event, on another connection. */
  const resume = (last: string) => sessions.answer(request('GET', { 'last-event-id': last }), undefined);
  return { sessions, clock, id, response, resume, finish: () => finish(), isStopped: () => stopped };
}

async function firstIdOf(response: Response): Promise<string> {
  const reader = response.body!.getReader();
  const text = new TextDecoder().decode((await reader.read()).value);
  reader.releaseLock();
  return /^id: (\S+)$/m.exec(text)?.[1] ?? '';
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

it('a client that leaves in the middle of a call and does not come back has its session ended', async () => {
  const { sessions, clock, id, response, isStopped } = await openCall();
  await response.body?.cancel();
  await settle();
  clock.advance(900);
  expect(isStopped()).toBe(false);
  clock.advance(200);
  await expect.poll(isStopped).toBe(true);
  expect((await send(sessions, ping, id)).status).toBe(404);
  await sessions.close();
});

it('a client that comes back before its loss was noticed gets its stream on the new connection', async () => {
  const { sessions, response, resume, finish } = await openCall();
  const resumed = await resume(await firstIdOf(response));
  expect(resumed.status).toBe(200);
  finish();
  expect(await resumed.text()).toContain('"text":"done"');
  expect((await response.body!.getReader().read()).done).toBe(true);
  await sessions.close();
});

it('a client that comes back and leaves again has its session ended, one that only waits for news does not', async () => {
  const { sessions, clock, id, response, resume, isStopped } = await openCall();
  const last = await firstIdOf(response);
  await response.body?.cancel();
  await settle();
  const resumed = await resume(last);
  clock.advance(1_100);
  await settle();
  expect(isStopped()).toBe(false);
  await resumed.body?.cancel();
  await settle();
  clock.advance(1_100);
  await expect.poll(isStopped).toBe(true);
  expect((await send(sessions, ping, id)).status).toBe(404);
  const other = await send(sessions, hello);
  const news = await sessions.answer(
    new Request('http://127.0.0.1/mcp', {
      headers: { accept: 'text/event-stream', 'mcp-session-id': other.id },
    }),
    undefined,
  );
  await news.body?.cancel();
  await settle();
  clock.advance(1_100);
  await settle();
  expect((await send(sessions, ping, other.id)).status).toBe(200);
  await sessions.close();
});
