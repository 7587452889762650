import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { mcpStages } from './mcp/stage.js';

const stage = mcpStages('mcp add');
const opened: Server[] = [];
afterEach(() => {
  for (const server of opened.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

interface Rpc {
  id?: number;
  method: string;
  params?: { protocolVersion?: string };
}

function answerTo({ id, method, params }: Rpc): object {
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'far', version: '1' },
    },
    'tools/list': { tools: [{ name: 'look', inputSchema: { type: 'object' } }] },
  };
  const result = results[method];
  return result
    ? { jsonrpc: '2.0', id, result }
    : { jsonrpc: '2.0', id, error: { code: -32_601, message: 'unknown' } };
}

async function listen(
  answer: (request: IncomingMessage, body: string, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    answer(request, body, response);
  });
  opened.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

function overSse(): Promise<string> {
  let stream: ServerResponse | null = null;
  return listen(({ method, url }, body, response) => {
    if (method === 'GET') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      stream.write('event: endpoint\ndata: /message\n\n');
    } else if (url === '/message') {
      const message: Rpc = JSON.parse(body);
      response.writeHead(202).end();
      if (message.id !== undefined) stream?.write(`data: ${JSON.stringify(answerTo(message))}\n\n`);
    } else response.writeHead(404).end();
  });
}

function overHttp(): Promise<string> {
  return listen(({ method }, body, response) => {
    if (method !== 'POST') return void response.writeHead(405).end();
    const message: Rpc = JSON.parse(body);
    if (message.id === undefined) return void response.writeHead(202).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answerTo(message)));
  });
}

it.each([
  [
    'SSE',
    '--http',
    overSse,
    'It does not speak streamable HTTP but the older SSE, so it was added as that (type: sse).\n',
    (url: string) => ({ url, type: 'sse', headers: { 'X-Team': 'red' } }),
  ],
  [
    'streamable HTTP',
    '--sse',
    overHttp,
    'It does not speak SSE but streamable HTTP, so it was added as that (httpUrl).\n',
    (url: string) => ({ httpUrl: url, headers: { 'X-Team': 'red' } }),
  ],
  [
    'streamable HTTP',
    '',
    overHttp,
    'It speaks streamable HTTP, so it was added as that (httpUrl).\n',
    (url: string) => ({ httpUrl: url, headers: { 'X-Team': 'red' } }),
  ],
  [
    'SSE',
    '',
    overSse,
    'It does not speak streamable HTTP but the older SSE, so it was added as that (type: sse).\n',
    (url: string) => ({ url, type: 'sse', headers: { 'X-Team': 'red' } }),
  ],
] as const)(
  'a server that speaks %s is added as that, whatever the flag: %j',
  async (_kind, flag, start, said, written) => {
    const { machine, run } = await stage({});
    const url = await start();
    const address = flag === '' ? [url] : [flag, url];
    const { stdout, code } = await run(['mcp', 'add', 'far', ...address, '--header', 'X-Team: red']);
    expect(code).toBe(0);
    expect(stdout).toContain('It answers, with 1 tool: look.');
    expect(stdout.endsWith(said)).toBe(true);
    const settings = JSON.parse(readFileSync(join(machine.home, '.toolwright', 'settings.json'), 'utf8'));
    expect(settings.mcpServers.far).toEqual(written(url));
    console.log(`evidence: mcp add far ${flag} URL: ${said.trim()}`);
  },
);

it('a server that speaks neither stays as it was named, and both failures are told', async () => {
  const { machine, run } = await stage({});
  const url = await listen((_request, _body, response) => void response.writeHead(404).end('not here'));
  const { stdout } = await run(['mcp', 'add', 'far', '--http', url]);
  expect(stdout).toMatch(/It does not work yet: .*HTTP status 404: not here[^\n]*\n/);
  expect(stdout).toContain('Tried over SSE, too: MCP server "far" failed at initialize');
  const settings = JSON.parse(readFileSync(join(machine.home, '.toolwright', 'settings.json'), 'utf8'));
  expect(settings.mcpServers.far).toEqual({ httpUrl: url });
});
