import { Server } from '@modelcontextprotocol/server';
import { createFakeClock, type FakeClock } from '@toolwright/machine/testing/fakes.js';
import { expect, it } from 'vitest';
import { openSessions, type Sessions } from './sessions.js';

const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
};

async function open(): Promise<{ sessions: Sessions; clock: FakeClock; closed: string[] }> {
  const clock = createFakeClock();
  const closed: string[] = [];
  let made = 0;
  const sessions = await openSessions({
    clock,
    most: 2,
    idleMs: 1_000,
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

it('those who were silent for long make room for others, and without room nobody comes in', async () => {
  const { sessions, clock } = await open();
  const [one, two] = [await send(sessions, hello), await send(sessions, hello)];
  expect((await send(sessions, hello)).status).toBe(503);
  clock.advance(900);
  expect((await send(sessions, ping, two.id)).status).toBe(200);
  clock.advance(200);
  expect((await send(sessions, hello)).status).toBe(200);
  expect((await send(sessions, ping, one.id)).status).toBe(404);
  expect((await send(sessions, ping, two.id)).status).toBe(200);
  await sessions.close();
});

it('a client that leaves in the middle of a call and does not come back has its session ended', async () => {
  const clock = createFakeClock();
  let stopped = false;
  const sessions = await openSessions({
    clock,
    absenceMs: 1_000,
    connect() {
      const server = new Server({ name: 'slow', version: '1' }, { capabilities: { tools: {} } });
      server.setRequestHandler('tools/call', async (_request, { mcpReq }) => {
        await new Promise((resolve) => mcpReq.signal.addEventListener('abort', resolve));
        stopped = true;
        return { content: [] };
      });
      return { server, tell: () => undefined };
    },
  });
  const { id } = await send(sessions, hello);
  const call = { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'slow', arguments: {} } };
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-session-id': id,
  };
  const response = await sessions.answer(
    new Request('http://127.0.0.1/mcp', { method: 'POST', headers }),
    call,
  );
  await response.body?.cancel();
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(900);
  expect(stopped).toBe(false);
  clock.advance(200);
  await expect.poll(() => stopped).toBe(true);
  expect((await send(sessions, ping, id)).status).toBe(404);
  await sessions.close();
});
