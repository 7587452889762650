import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttp } from '@toolwright/machine/host/http/http.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFetch } from './http-fetch.js';

const requests: { url: string; method: string; headers: Record<string, unknown>; body: string }[] = [];
let server: Server;
let origin: string;
const http = createHttp();
const life = new AbortController();
const bounds = { idleTimeoutMs: 5_000, messageBytes: 100_000, admit: () => true };
const fetch = createFetch({ http, ...bounds, signal: life.signal });

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    requests.push({ url: request.url ?? '', method: request.method ?? '', headers: request.headers, body });
    switch (request.url) {
      case '/redirect':
        return void response.writeHead(307, { location: '/elsewhere' }).end();
      case '/nothing':
        return void response.writeHead(204).end();
      case '/large':
        return void response.writeHead(200, { 'content-type': 'application/json' }).end('x'.repeat(300_000));
      case '/events':
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (let count = 0; count < 20; count++) response.write(`data: ${'x'.repeat(20_000)}\n\n`);
        return void response.end();
      case '/endless':
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        return void response.write('data: one\n\n');
      default:
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":1}');
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  http.close();
});

describe('a fetch on our own client', () => {
  it('sends headers, text and forms, and gives a real response', async () => {
    const response = await fetch(`${origin}/json`, { method: 'POST', headers: { 'X-A': 'b' }, body: '{}' });
    expect([response.status, await response.json()]).toEqual([200, { a: 1 }]);
    expect(requests.at(-1)).toMatchObject({ method: 'POST', body: '{}', headers: { 'x-a': 'b' } });
    await (await fetch(`${origin}/form`, { method: 'POST', body: new URLSearchParams({ a: 'b c' }) })).text();
    expect(requests.at(-1)).toMatchObject({
      body: 'a=b+c',
      headers: { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' },
    });
  });

  it('leaves redirects to the caller, and takes answers without a body', async () => {
    const redirect = await fetch(`${origin}/redirect`);
    expect([redirect.status, redirect.headers.get('location')]).toEqual([307, '/elsewhere']);
    expect((await fetch(`${origin}/nothing`)).status).toBe(204);
  });

  it('bounds one message, not a stream of many', async () => {
    const large = await fetch(`${origin}/large`);
    await expect(large.text()).rejects.toThrow('the server sent a message of more than 100000 bytes');
    const events = await fetch(`${origin}/events`, { headers: { accept: 'text/event-stream' } });
    expect((await events.text()).length).toBeGreaterThan(400_000);
  });

  it('counts the messages of a stream, and cuts it off when they are too many', async () => {
    let left = 5;
    const few = createFetch({
      http,
      ...bounds,
      admit: (messages) => (left -= messages) >= 0,
      signal: life.signal,
    });
    const events = await few(`${origin}/events`, { headers: { accept: 'text/event-stream' } });
    await expect(events.text()).rejects.toThrow('the server sent too many messages');
    expect(left).toBeLessThan(0);
  });

  it('goes through the proxy that the environment names, as the global fetch of Node 20 does not', async () => {
    const proxied = createHttp({ environment: { HTTP_PROXY: origin } });
    const through = createFetch({ http: proxied, ...bounds, signal: life.signal });
    await (await through('http://mcp.example/mcp')).text();
    expect(requests.at(-1)?.url).toBe('http://mcp.example/mcp');
    proxied.close();
  });

  it('ends with its own signal and with the one of the connection', async () => {
    const own = new AbortController();
    const first = await fetch(`${origin}/endless`, { signal: own.signal });
    const reading = first.text();
    own.abort('enough');
    await expect(reading).rejects.toBe('enough');
    const closing = new AbortController();
    const other = createFetch({ http, ...bounds, signal: closing.signal });
    const second = (await other(`${origin}/endless`)).text();
    closing.abort('closed');
    await expect(second).rejects.toBe('closed');
  });
});
