import { createServer, type Server, type Socket } from 'node:net';
import { textOf } from '@toolwright/machine/base/content.js';
import { messageOf } from '@toolwright/machine/base/errors.js';
import type { Clock } from '@toolwright/machine/host/host.js';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import type { McpConnection } from '../contract/connection.js';
import type { McpLimits, McpNeeds } from '../contract/needs.js';
import { createMcpBench, never } from '../fixtures/mcp-bench.js';
import {
  complete,
  eventOf,
  type NewerHttpServer,
  refused,
  startNewerHttp,
  text,
} from '../fixtures/newer-http-server.js';

const bench = createMcpBench();
afterAll(() => bench.close());
const started: { close(): void }[] = [];
afterEach(() => {
  for (const server of started.splice(0)) server.close();
});

async function start(answers: Parameters<typeof startNewerHttp>[0] = {}): Promise<NewerHttpServer> {
  const server = await startNewerHttp(answers);
  started.push(server);
  return server;
}

const open = ({ url }: { url: string }, needs: Partial<McpNeeds> = {}) =>
  bench.open('web', { httpUrl: url }, needs);
const call = async (server: McpConnection, args = {}) =>
  textOf((await server.callTool('add', args, { signal: never })).parts);
const failureOf = async (work: Promise<unknown>) => {
  const message = messageOf(await work.catch((error: unknown) => error));
  console.log(`evidence: ${message}`);
  return message;
};
const limits = (changed: Partial<McpLimits>): Partial<McpNeeds> => ({ limits: changed });

describe('a server that refuses the question for its revisions', () => {
  it('with -32022 because it is an older one gets the older handshake', async () => {
    const server = await start({ 'server/discover': () => refused(-32_022, { supported: ['2025-11-25'] }) });
    const connection = await open(server);
    expect(connection.info.protocolVersion).toBe('2025-11-25');
    expect(server.asked.slice(0, 2)).toEqual(['server/discover', 'initialize']);
  });

  it('with -32022 although it names the newer revision is asked once more', async () => {
    const server = await start({
      'server/discover': ({ count }) =>
        count === 1
          ? refused(-32_022, { supported: ['2026-07-28'] })
          : complete({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }),
    });
    expect((await open(server)).info.protocolVersion).toBe('2026-07-28');
    expect(server.asked).toEqual(['server/discover', 'server/discover']);
  });

  it.each([-32_020, -32_021, -32_022])(
    'by silence, and the handshake with %s, is asked again with more patience and spoken to in the newer one',
    async (code) => {
      const server = await start({
        'server/discover': ({ count }) =>
          count === 1 ? null : complete({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }),
        initialize: () => refused(code, { supported: ['2026-07-28'] }),
      });
      const connection = await open(server, limits({ initialize: 2_000 }));
      expect(connection.info.protocolVersion).toBe('2026-07-28');
      expect(server.asked).toEqual(['server/discover', 'initialize', 'server/discover']);
      expect(await call(connection)).toBe('call 1');
    },
  );

  it('and the handshake too is told off with its own words, and asked no more', async () => {
    const server = await start({
      'server/discover': () => refused(-32_021, { requiredCapabilities: { sampling: {} } }),
      initialize: () => refused(-32_022, { supported: ['2026-07-28'] }),
    });
    expect(await failureOf(open(server))).toContain(
      'MCP server "web" failed at initialize: it answered with error -32021: refused with -32021.',
    );
    expect(server.asked).toEqual(['server/discover', 'initialize']);
  });
});

describe('a call that is refused', () => {
  it('with -32022 because the server was replaced by an older one is sent again in the older revision', async () => {
    let isOlder = false;
    const onlyOlder = () => refused(-32_022, { supported: ['2025-11-25'] });
    const server = await start({
      'server/discover': () =>
        isOlder ? onlyOlder() : complete({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }),
      'tools/call': ({ headers }) =>
        isOlder && headers['mcp-protocol-version'] === '2026-07-28'
          ? onlyOlder()
          : text(`in ${headers['mcp-protocol-version']}`),
    });
    const connection = await open(server);
    expect(await call(connection)).toBe('in 2026-07-28');
    isOlder = true;
    expect(await call(connection)).toBe('in 2025-11-25');
    expect(connection.info.protocolVersion).toBe('2025-11-25');
  });

  it('with -32022 over and over fails after a second session, and is not repeated without end', async () => {
    const server = await start({ 'tools/call': () => refused(-32_022, { supported: ['2026-07-28'] }) });
    expect(await failureOf(call(await open(server)))).toContain(
      'the tool "add" was not carried out: it no longer speaks the revision of this session',
    );
    expect(server.asked.filter((method) => method === 'tools/call')).toHaveLength(2);
  });

  it('with -32021 names what the server wants, and the session goes on', async () => {
    const server = await start({
      'tools/call': ({ count }) => (count === 1 ? refused(-32_021) : text('ok')),
    });
    const connection = await open(server);
    expect(await failureOf(call(connection))).toContain(
      'the tool "add" was not carried out: it answered with error -32021: refused with -32021.',
    );
    expect(await call(connection)).toBe('ok');
    expect(server.asked.filter((method) => method === 'server/discover')).toHaveLength(1);
  });

  const schema = (header: string) => ({
    type: 'object',
    properties: { place: { type: 'string', 'x-mcp-header': header } },
  });

  it('with -32020 because the headers are others now is sent again with those of the new schema', async () => {
    const server = await start({
      'tools/list': ({ count }) =>
        complete({ tools: [{ name: 'add', inputSchema: schema(count === 1 ? 'Place' : 'Region') }] }),
      'tools/call': ({ headers }) =>
        headers['mcp-param-region'] === 'Bonn' ? text('with Region') : refused(-32_020),
    });
    const connection = await open(server);
    await connection.listTools(never);
    expect(await call(connection, { place: 'Bonn' })).toBe('with Region');
  });

  it('with -32020 whatever is sent fails after the second time', async () => {
    const server = await start({
      'tools/list': () => complete({ tools: [{ name: 'add', inputSchema: schema('Place') }] }),
      'tools/call': () => refused(-32_020),
    });
    expect(await failureOf(call(await open(server), { place: 'Bonn' }))).toContain(
      'the tool "add" was not carried out: it answered with error -32020: refused with -32020.',
    );
    expect(server.asked.filter((method) => method === 'tools/call')).toHaveLength(2);
  });
});

/** A hundred times as fast, so that waiting between attempts takes no time. */
function hurried(clock: Clock): Clock {
  return { ...clock, sleep: (ms, signal) => clock.sleep(Math.ceil(ms / 100), signal) };
}

const patient: Partial<McpLimits> = { initialize: 3_000_000, list: 3_000_000, spawn: 3_000_000 };
const listChanged = eventOf({ method: 'notifications/tools/list_changed', params: {} });

describe('a stream of changes', () => {
  it('that breaks off in the middle of an event is asked for again, and changes are heard', async () => {
    const server = await start({
      'subscriptions/listen': ({ response, count }) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        if (count > 2) response.write(listChanged);
        else response.write(listChanged.slice(0, 20), () => response.destroy());
        return null;
      },
    });
    const onToolsChanged = vi.fn();
    const connection = await open(server, {
      onToolsChanged,
      clock: hurried(bench.needs.clock),
      limits: patient,
    });
    await vi.waitFor(() => expect(onToolsChanged).toHaveBeenCalledOnce(), { timeout: 10_000 });
    expect(server.asked.filter((method) => method === 'subscriptions/listen')).toHaveLength(3);
    expect([connection.state, await call(connection)]).toEqual(['ready', 'call 1']);
  });

  it('that breaks off over and over is asked for five times, and no more', async () => {
    const server = await start({
      'subscriptions/listen': ({ response }) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(': soon\n\n', () => response.destroy());
        return null;
      },
    });
    const clock = hurried(bench.needs.clock);
    const connection = await open(server, { clock, limits: patient });
    const listens = () => server.asked.filter((method) => method === 'subscriptions/listen').length;
    await expect.poll(() => listens()).toBe(5);
    await clock.sleep(100_000);
    expect([listens(), await call(connection)]).toEqual([5, 'call 1']);
  });

  it('that floods is cut off with a reason, the server is off, and another one works on', async () => {
    const flooding = await start({
      'subscriptions/listen': ({ response }) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(listChanged.repeat(20_000));
        return null;
      },
      'tools/call': () => null,
    });
    const other = await open(await start());
    const onToolsChanged = vi.fn();
    const connection = await open(flooding, { onToolsChanged });
    const message = await failureOf(call(connection));
    expect(message).toContain(
      'it flooded its output: more messages in ten seconds than any server has reason',
    );
    expect(connection.state).toBe('lost');
    expect(onToolsChanged.mock.calls.length).toBeLessThan(10);
    expect(await call(other)).toBe('call 1');
    await expect.poll(() => flooding.open.size).toBe(0);
  });
});

/** Accepts connections, reads what comes, and says nothing; after `said` was sent, where that is given. */
async function startMute(said = ''): Promise<{ url: string; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.resume().on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    if (said !== '') socket.once('data', () => socket.write(said));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  started.push({
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`, sockets };
}

describe('a half-open connection', () => {
  it.each([
    ['without a word', ''],
    [
      'with the beginning of an answer',
      'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"json',
    ],
    [
      'with a stream that stays empty',
      'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n: hello\n\n',
    ],
  ])('%s ends at the limit of the handshake, and nothing of it is left', async (_what, said) => {
    const mute = await startMute(said);
    const other = await open(await start());
    const opening = open(mute, limits({ initialize: 600 }));
    expect(await call(other)).toBe('call 1');
    expect(await failureOf(opening)).toContain(
      'MCP server "web" failed at initialize: it did not answer within 600 ms. Check that it is an MCP server and what it waits for',
    );
    await expect.poll(() => mute.sockets.size).toBe(0);
    expect(await call(other)).toBe('call 2');
  });

  it('in the middle of a call ends at the limit of the call; the session goes on', async () => {
    const server = await start({ 'tools/call': ({ count }) => (count === 1 ? null : text('again')) });
    const connection = await open(server, limits({ callIdle: 400 }));
    expect(await failureOf(call(connection))).toContain(
      'the tool "add" gave neither an answer nor a sign of progress for 400 ms',
    );
    expect(await call(connection)).toBe('again');
    await connection.close();
    await expect.poll(() => server.open.size).toBe(0);
  });

  it('in the middle of a list ends at the limit of the list', async () => {
    const server = await start({ 'tools/list': () => null });
    const connection = await open(server, limits({ list: 400 }));
    expect(await failureOf(connection.listTools(never))).toContain(
      'failed at list: tools/list was not answered within 400 ms',
    );
    expect(connection.state).toBe('ready');
  });
});
