import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { closeServers, doors, serve } from '../../web/fixtures/loopback.js';
import { type HostProxy, startHostProxy } from './host-proxy.js';

afterAll(closeServers);

const open: { proxy: HostProxy; folder: string }[] = [];

afterEach(async () => {
  for (const { proxy, folder } of open.splice(0)) {
    await proxy.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

async function start(hosts: string[], guard: Parameters<typeof startHostProxy>[0]['guard'] = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'proxy-'));
  const socketPath = join(folder, 'socket');
  const proxy = await startHostProxy({ listen: { path: socketPath }, hosts, guard });
  open.push({ proxy, folder });
  /** Sends these bytes; the proxy's answer, to the end of the connection. */
  const say = (...texts: string[]): Promise<string> =>
    new Promise((resolve) => {
      let answer = '';
      const socket = net.connect(socketPath);
      socket.on('data', (data) => {
        answer += data;
        const next = texts.shift();
        if (next !== undefined) socket.write(next);
      });
      socket.on('error', () => undefined).on('close', () => resolve(answer));
      socket.write(texts.shift() ?? '');
    });
  return { proxy, say };
}

const get = (target: string, headers = ''): string =>
  `GET ${target} HTTP/1.1\r\nHost: elsewhere.org\r\nConnection: close\r\n${headers}\r\n`;
const through = (target: string): string => `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`;
const page = 'GET /page HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

test('a named public host is reached by both ways, at the address that was checked', async () => {
  const port = await serve((request, response) => response.end(`${request.headers.host}${request.url}`));
  const led = doors(port);
  const { proxy, say } = await start(['example.org'], {
    resolve: async (host) => led.resolve(host),
    connect: async (target) => led.connect(target),
  });
  expect(await say(get('http://example.org/a?b', 'Proxy-Authorization: secret\r\n'))).toContain(
    'example.org/a?b',
  );
  const answer = await say(through('example.org:443'), page);
  expect(answer).toContain('200 Connection established');
  expect(answer).toContain('x/page');
  expect(led.connected).toEqual(['93.184.215.14:80', '93.184.215.14:443']);
  expect(proxy.refused()).toEqual([]);
});

test('a host that is not named is refused, told, and remembered once', async () => {
  const { proxy, say } = await start(['example.org'], {
    resolve: () => Promise.reject(new Error('nobody may look')),
  });
  const answer = await say(get('http://evil.org/'));
  expect(answer).toContain('403 Forbidden');
  expect(answer).toContain(
    'the sandbox refused evil.org:80: neither the call nor sandbox.networkHosts in the settings names it',
  );
  expect(await say(through('evil.org:443'))).toContain('403 Forbidden');
  expect(await say(through('example.org:22'))).toContain('403 Forbidden');
  await say(get('http://evil.org/'));
  expect(proxy.refused()).toEqual(['evil.org:80', 'evil.org:443', 'example.org:22']);
});

test('a name that leads to this machine or a private network is refused unless it is named exactly', async () => {
  const port = await serve((_request, response) => response.end('inside'));
  const resolve = async () => ['127.0.0.1'];
  const below = await start([`*.example.org:${port}`], { resolve });
  expect(await below.say(get(`http://a.example.org:${port}/`))).toContain('403 Forbidden');
  const exact = await start([`a.example.org:${port}`], { resolve });
  expect(await exact.say(get(`http://a.example.org:${port}/`))).toContain('inside');
});

test('metadata addresses are refused even when they are named', async () => {
  const { say } = await start(['169.254.169.254']);
  expect(await say(get('http://169.254.169.254/latest'))).toContain('403 Forbidden');
});

test.each([
  ['no port', 'CONNECT example.org HTTP/1.1\r\n\r\n'],
  ['another protocol', get('ftp://example.org/')],
  ['no host at all', get('/etc/passwd')],
])('what is no proxy request is refused: %s', async (_what, text) => {
  const { say } = await start(['example.org']);
  expect(await say(text)).toMatch(/^HTTP\/1\.1 (400|403|502)/);
});

test('a host that does not answer is a bad gateway, not a refusal', async () => {
  const { proxy, say } = await start(['example.org'], {
    resolve: async () => ['93.184.215.14'],
    connect: () => Promise.reject(new Error('nobody is there')),
  });
  expect(await say(through('example.org:443'))).toContain('502 Bad Gateway');
  expect(proxy.refused()).toEqual([]);
});
