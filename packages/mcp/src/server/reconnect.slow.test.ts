import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { textOf } from '@toolwright/machine/base/content.js';
import { afterAll, describe, expect, it } from 'vitest';
import { createMcpBench, never, processesWith, serverFile } from '../fixtures/mcp-bench.js';

const bench = createMcpBench();
afterAll(() => bench.close());

let counters = 0;
const counterFile = () => join(bench.directory, `calls-${counters++}`);

describe('a call whose server is lost on the way', () => {
  const openCrashing = async (env: Record<string, string>, trust: boolean) => {
    const counter = counterFile();
    const server = await bench.openFile('crash', ['call', counter], { env, server: { trust } });
    await server.listTools(never);
    return { server, calls: () => readFileSync(counter, 'utf8').length };
  };
  const idempotent = { ANNOTATIONS: '{"idempotentHint":true}' };

  it('is repeated when the tool is idempotent and the server trusted, after the tools were listed again', async () => {
    const { server, calls } = await openCrashing(idempotent, true);
    const result = await server.callTool('add', {}, { signal: never });
    expect([textOf(result.parts), result.replayed, calls()]).toEqual(['call 2', true, 2]);
    expect(server.state).toBe('ready');
  });

  it.each([
    ['the tool does not say that a second call changes nothing', {}, true],
    ['the server is not trusted to repeat calls', idempotent, false],
    ['the server came back with another definition of this tool', { ...idempotent, CHANGED: '1' }, true],
  ])('is not repeated when %s', async (why, env, trust) => {
    const { server, calls } = await openCrashing(env, trust);
    await expect(server.callTool('add', {}, { signal: never })).rejects.toThrow(`was not repeated: ${why}.`);
    expect(calls()).toBe(1);
  });

  it('is not repeated before the old server is gone with all it had started', async () => {
    const { server } = await openCrashing({ ...idempotent, LINGERS: '1' }, true);
    const result = await server.callTool('add', {}, { signal: never });
    expect(textOf(result.parts)).toBe('call 2');
    expect(readFileSync(join(bench.directory, `calls-${counters - 1}.met`), 'utf8')).toBe('gone');
  });

  it('leaves the server usable: the next call connects again, and the old process is gone', async () => {
    const { server } = await openCrashing({}, false);
    await expect(server.callTool('add', {}, { signal: never })).rejects.toThrow('was not repeated');
    expect(server.state).toBe('lost');
    const next = await server.callTool('add', {}, { signal: never });
    expect([textOf(next.parts), next.replayed]).toEqual(['call 2', false]);
    await server.close();
    expect(
      processesWith(`${serverFile('crash')} call ${join(bench.directory, `calls-${counters - 1}`)}`),
    ).toEqual([]);
  });
});

/** Streamable HTTP in its smallest form; `behave` decides what becomes of each call. */
async function startHttpServer(behave: (call: number) => 'answer' | 'break' | 'forget'): Promise<string> {
  let session = 0;
  let calls = 0;
  const known = new Set<string>();
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method } = JSON.parse(text);
    const given = String(request.headers['mcp-session-id'] ?? '');
    if (method !== 'initialize' && !known.has(given))
      return void response.writeHead(404).end('no such session');
    if (id === undefined) return void response.writeHead(202).end();
    const reply = (result: object, headers = {}) =>
      response
        .writeHead(200, { 'content-type': 'text/event-stream', ...headers })
        .end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
    if (method === 'initialize') {
      known.add(`s${++session}`);
      const info = { name: 'small', version: '1' };
      const result = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: info };
      return void reply(result, { 'mcp-session-id': `s${session}` });
    }
    if (method === 'tools/list')
      return void reply({ tools: [{ name: 'add', inputSchema: { type: 'object' } }] });
    const what = behave(++calls);
    if (what === 'answer')
      return void reply({ content: [{ type: 'text', text: `call ${calls} in ${given}` }] });
    if (what === 'forget') {
      known.clear();
      return void response.writeHead(404).end('no such session');
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': working\n\n');
    setTimeout(() => response.destroy(), 20);
  });
  bench.owns(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

describe('over HTTP', () => {
  it('a call that never arrived is sent again in a new session, whatever the tool', async () => {
    const url = await startHttpServer((call) => (call === 1 ? 'forget' : 'answer'));
    const server = await bench.open('forgetful', { httpUrl: url });
    await server.listTools(never);
    const result = await server.callTool('add', {}, { signal: never });
    expect([textOf(result.parts), result.replayed]).toEqual(['call 2 in s2', false]);
  });

  it('a call whose stream breaks off is not left to its time limit', async () => {
    const url = await startHttpServer(() => 'break');
    const server = await bench.open('breaking', { httpUrl: url });
    await server.listTools(never);
    await expect(server.callTool('add', {}, { signal: never })).rejects.toThrow(
      'MCP server "breaking" failed at call: it was lost during the call of "add" (the connection broke off before the answer came), and the call was not repeated: ' +
        'the tool does not say that a second call changes nothing. Whether the call took effect is not known: check before calling again.',
    );
  });

  it('says when nothing listens there', async () => {
    await expect(bench.open('nobody', { httpUrl: 'http://127.0.0.1:9/mcp' })).rejects.toThrow(
      'MCP server "nobody" failed at initialize: could not reach 127.0.0.1:9: nothing is listening there. Check the address and that the server runs (ECONNREFUSED).',
    );
  });

  it('says both when an address is neither a streamable HTTP nor an SSE server', async () => {
    const server = createServer((_request, response) => response.writeHead(404).end('nothing here'));
    bench.owns(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const failure = await bench.open('neither', { url }).catch((error: Error) => error.message);
    expect(failure).toContain('failed at initialize: it answered with HTTP status 404: nothing here.');
    expect(failure).toContain('\nTried as an SSE server, too: MCP server "neither" failed at initialize:');
  });
});
