import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { textOf } from '@toolwright/machine/base/content.js';
import { afterAll, expect, it } from 'vitest';
import { createMcpBench, never } from '../fixtures/mcp-bench.js';

const bench = createMcpBench();
let server: Server;
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await bench.close();
});

const note = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } })}\n\n`;
let isPouring = false;

function startPouring(response: ServerResponse): void {
  isPouring = true;
  response.once('close', () => {
    isPouring = false;
  });
  pour(response);
}

function pour(response: ServerResponse): void {
  if (response.destroyed) return;
  if (response.write(note.repeat(500))) setImmediate(pour, response);
  else response.once('drain', () => pour(response));
}

const results: Record<string, object> = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {}, logging: {} },
    serverInfo: { name: 'flood', version: '1' },
  },
  'logging/setLevel': {},
  'tools/list': { tools: ['pour', 'drop'].map((name) => ({ name, inputSchema: { type: 'object' } })) },
};

/** Answers each request on its own stream, or, once one was opened as the older kind does it, on that. */
async function startServer(): Promise<string> {
  let standing: ServerResponse | null = null;
  server = createServer(async (request, response) => {
    const events = { 'content-type': 'text/event-stream' };
    if (request.method === 'GET' && request.url === '/sse') {
      standing = response.writeHead(200, events);
      return void standing.write('event: endpoint\ndata: /messages\n\n');
    }
    if (request.method !== 'POST') return void response.writeHead(405).end();
    let text = '';
    for await (const chunk of request) text += chunk;
    const { id, method, params } = JSON.parse(text);
    const isOld = request.url === '/messages';
    if (id === undefined || isOld) response.writeHead(202).end();
    if (id === undefined) return;
    const stream = isOld && standing ? standing : response.writeHead(200, events);
    if (params?.name === 'pour') return startPouring(stream);
    const result = results[method] ?? { content: [{ type: 'text', text: 'a drop' }] };
    stream.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
    if (!isOld) stream.end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('a server behind an address that floods us with messages is cut off, and can be used again', async () => {
  const origin = await startServer();
  for (const address of [{ httpUrl: `${origin}/mcp` }, { url: `${origin}/sse`, type: 'sse' }]) {
    const flood = await bench.open('flood', address);
    const message = await flood
      .callTool('pour', {}, { signal: never })
      .catch((error: Error) => error.message);
    expect(message).toContain('it flooded its output: more messages in ten seconds than any server');
    await expect.poll(() => isPouring).toBe(false);
    expect(flood.state).toBe('lost');
    expect(textOf((await flood.callTool('drop', {}, { signal: never })).parts)).toBe('a drop');
    console.log(`evidence: flood over ${flood.info.transport}: ${message}`);
  }
});
