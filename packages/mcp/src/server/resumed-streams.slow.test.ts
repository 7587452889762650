import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { textOf } from '@toolwright/machine/base/content.js';
import { messageOf } from '@toolwright/machine/base/errors.js';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createMcpBench, never } from '../fixtures/mcp-bench.js';

const bench = createMcpBench();
afterAll(() => bench.close());

const event = (id: string, message: object | null, more = '') =>
  `${more}id: ${id}\ndata: ${message === null ? '' : JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
const retrySoon = 'retry: 150\n';
const said = (id: unknown, text: string) => ({ id, result: { content: [{ type: 'text', text }] } });

/** The stream that answers a call: `write` sends events, `lose` breaks the connection, `end` closes it in order. */
interface CallStream {
  id: unknown;
  progressToken: unknown;
  write(text: string): void;
  lose(): void;
  end(): void;
}

interface Behaviour {
  call(stream: CallStream): void;
  /** A GET request, with the event after which it goes on, if it names one. */
  resume(after: string | undefined, response: ServerResponse, call: CallStream | null): void;
}

/** Streamable HTTP of the revision 2025-11-25, whose streams do what the test says. */
async function start({ call, resume }: Behaviour) {
  const seen = { calls: 0, resumed: [] as (string | undefined)[] };
  let latest: CallStream | null = null;
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'streams', version: '1' },
    },
    'tools/list': { tools: [{ name: 'add', inputSchema: { type: 'object' } }] },
  };
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      const after = request.headers['last-event-id'] as string | undefined;
      seen.resumed.push(after);
      return resume(after, response, latest);
    }
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(await textOfRequest(request));
    if (id === undefined) return void response.writeHead(202).end();
    if (method !== 'tools/call') {
      const error = { code: -32_601, message: 'unknown' };
      const answer = results[method] ? { result: results[method] } : { error };
      response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' });
      return void response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    }
    seen.calls += 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    latest = {
      id,
      progressToken: params._meta?.progressToken,
      write: (text) => void response.write(text),
      // The short wait lets what was written arrive before the connection is gone.
      lose: () => void setTimeout(() => response.destroy(), 30),
      end: () => void response.end(),
    };
    call(latest);
  });
  bench.owns(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, seen };
}

async function textOfRequest(request: IncomingMessage): Promise<string> {
  let whole = '';
  for await (const chunk of request) whole += chunk;
  return whole;
}

const openStream = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' });

async function callOnce(url: string, limits = {}): Promise<{ text: string; progress: string[] }> {
  const progress: string[] = [];
  const connection = await bench.open('streams', { httpUrl: url }, { limits });
  const onProgress = ({ message = '' }) => void progress.push(message);
  const result = await connection.callTool('add', {}, { signal: never, onProgress });
  return { text: textOf(result.parts), progress };
}

const tell = ({ progressToken }: CallStream, progress: number, message: string) => ({
  method: 'notifications/progress',
  params: { progressToken, progress, message },
});

describe('the stream of a call', () => {
  it.each(['lose', 'end'] as const)(
    'that breaks (%s) is taken up after the last event, and nothing comes twice or not at all',
    async (how) => {
      const { url, seen } = await start({
        call(stream) {
          stream.write(event('a1', null, retrySoon));
          stream.write(event('a2', tell(stream, 1, 'one')));
          stream[how]();
        },
        resume(after, response, call) {
          if (after === undefined || call === null) return void response.writeHead(405).end();
          openStream(response).write(event('a3', tell(call, 2, 'two')));
          response.end(event('a4', said(call.id, 'done')));
        },
      });
      expect(await callOnce(url)).toEqual({ text: 'done', progress: ['one', 'two'] });
      expect(seen).toEqual({ calls: 1, resumed: [undefined, 'a2'] });
      console.log(`evidence: a stream that broke (${how}) went on after Last-Event-ID ${seen.resumed[1]}`);
    },
  );

  it('that breaks again before anything new came is taken up at the same place', async () => {
    const { url, seen } = await start({
      call(stream) {
        stream.write(event('a1', null, retrySoon));
        stream.lose();
      },
      resume(after, response, call) {
        if (after === undefined || call === null) return void response.writeHead(405).end();
        openStream(response);
        if (seen.resumed.length < 4) response.write(': soon\n\n', () => response.end());
        else response.end(event('a2', said(call.id, 'at last')));
      },
    });
    expect((await callOnce(url)).text).toBe('at last');
    expect(seen).toEqual({ calls: 1, resumed: [undefined, 'a1', 'a1', 'a1'] });
  });

  it('that can not be taken up is told at once, and the call is not repeated', async () => {
    const { url, seen } = await start({
      call(stream) {
        stream.write(event('a1', null, retrySoon));
        stream.lose();
      },
      resume: (_after, response) => void response.writeHead(405).end(),
    });
    const failure = messageOf(await callOnce(url).catch((error: unknown) => error));
    console.log(`evidence: ${failure}`);
    expect(failure).toContain('the connection broke off before the answer came');
    expect(seen).toEqual({ calls: 1, resumed: [undefined, 'a1'] });
  });

  it('that is refused over and over, or ends over and over without a pause, is not asked for without end', async () => {
    for (const behave of ['refuse', 'end at once'] as const) {
      const { url, seen } = await start({
        call(stream) {
          stream.write(event('a1', null, 'retry: 0\n'));
          stream.lose();
        },
        resume(after, response) {
          if (after === undefined) return void response.writeHead(405).end();
          if (behave === 'refuse') return void response.writeHead(500).end();
          openStream(response).end();
        },
      });
      const failure = messageOf(await callOnce(url, { callIdle: 600 }).catch((error: unknown) => error));
      console.log(`evidence: ${behave}: ${seen.resumed.length - 1} times: ${failure}`);
      expect(failure).toMatch(/the connection broke off before the answer came|neither an answer nor a sign/);
      expect(seen.resumed.length).toBeLessThan(10);
    }
  });
});

it('the stream of news is taken up after the last event, so that a change that fell into the gap is heard', async () => {
  const changed = { method: 'notifications/tools/list_changed', params: {} };
  const { url, seen } = await start({
    call: (stream) => stream.write(event('c1', said(stream.id, 'ok'))),
    resume(after, response) {
      openStream(response);
      if (after === undefined) {
        response.write(event('n1', null, retrySoon));
        setTimeout(() => response.destroy(), 50);
      } else response.write(event('n2', changed));
    },
  });
  const onToolsChanged = vi.fn();
  const connection = await bench.open('news', { httpUrl: url }, { onToolsChanged });
  await vi.waitFor(() => expect(onToolsChanged).toHaveBeenCalledOnce(), { timeout: 10_000 });
  expect(seen.resumed).toEqual([undefined, 'n1']);
  expect(connection.state).toBe('ready');
});
