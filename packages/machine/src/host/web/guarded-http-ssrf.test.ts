import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect as netConnect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isToolError } from '../../base/errors.js';
import { hostMatcher } from '../../base/patterns/host-pattern.js';
import { guardedFetch } from '../../testing/guarded-fetch.js';

interface Row {
  url: string;
  answers?: string[];
  expect: string;
  why: string;
}

const rows = JSON.parse(
  readFileSync(new URL('./fixtures/ssrf-cases.json', import.meta.url), 'utf8'),
) as Row[];

let server: Server;
let port = 0;

beforeAll(async () => {
  server = createServer((_request, response) => response.end('reached'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());

async function outcome(row: Row): Promise<{ code: string; connected: string[] }> {
  const connected: string[] = [];
  try {
    const fetched = await guardedFetch(row.url, {
      resolve: () => row.answers ?? ['93.184.215.14'],
      connect: ({ host }) => {
        connected.push(host);
        return netConnect({ host: '127.0.0.1', port });
      },
    });
    return { code: fetched.kind === 'page' && fetched.status === 200 ? 'fetched' : 'other', connected };
  } catch (error) {
    if (!isToolError(error)) throw error;
    return { code: error.code, connected };
  }
}

describe('the table of addresses', () => {
  let checked = 0;
  let connectionsToRefused = 0;

  it.each(rows)('$expect: $url $answers ($why)', async (row) => {
    const { code, connected } = await outcome(row);
    checked++;
    if (row.expect !== 'fetched') connectionsToRefused += connected.length;
    expect(code).toBe(row.expect);
    expect(connected.length).toBe(row.expect === 'fetched' ? 1 : 0);
    if (row.answers && row.expect === 'fetched') expect(row.answers).toContain(connected[0]);
  });

  it('holds at least a hundred rows, and none of the refused ones was connected to', () => {
    console.log(
      `ssrf-cases.json: ${rows.length} rows, ${checked} checked, connections to refused ones: ${connectionsToRefused}`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(100);
    expect(checked).toBe(rows.length);
    expect(connectionsToRefused).toBe(0);
  });
});

it.each([
  ['http://127.0.0.1/', 'Fetch(127.0.0.1)'],
  ['https://localhost/', 'Fetch(localhost)'],
  ['http://localhost:3000/', 'Fetch(localhost:3000)'],
  ['http://[::1]:3000/', 'Fetch([::1]:3000)'],
  ['http://wiki.internal:8080/', 'Fetch(wiki.internal:8080)'],
])('a refusal of %s names the rule that opens it: %s', async (url, rule) => {
  const resolve = () => ['127.0.0.1'];
  await expect(guardedFetch(url, { resolve })).rejects.toThrow(`with the rule ${rule} in the user settings`);
  const pattern = rule.slice('Fetch('.length, -1);
  const allowHost = hostMatcher({ pattern, narrows: false, source: 'test' });
  const connect = () => netConnect({ host: '127.0.0.1', port });
  if (url.startsWith('http:'))
    expect(await guardedFetch(url, { resolve, connect, allowHost })).toMatchObject({
      kind: 'page',
      status: 200,
    });
});

describe('answers that change between check and use', () => {
  it.each([
    ['public, then loopback', ['93.184.215.14'], ['127.0.0.1']],
    ['public, then metadata', ['93.184.215.14'], ['169.254.169.254']],
    ['public, then both', ['93.184.215.14'], ['93.184.215.14', '10.0.0.1']],
  ])('%s: the checked address is the one connected to, every time', async (_name, first, later) => {
    const connected: string[] = [];
    let asked = 0;
    let denied = 0;
    for (let round = 0; round < 40; round++) {
      await guardedFetch('http://rebind.example/', {
        resolve: () => (asked++ % 2 === 0 ? first : later),
        connect: ({ host }) => {
          connected.push(host);
          return netConnect({ host: '127.0.0.1', port });
        },
      }).catch((error: unknown) => {
        expect(isToolError(error) && error.code).toBe('denied');
        denied++;
      });
    }
    const toRefused = connected.filter((address) => address !== '93.184.215.14').length;
    console.log(
      `rebinding, 40 fetches: ${asked} look-ups, ${connected.length} connections, to a refused address ${toRefused}, denied ${denied}`,
    );
    expect({ asked, connections: connected.length, toRefused, denied }).toEqual({
      asked: 40,
      connections: 20,
      toRefused: 0,
      denied: 20,
    });
  });
});

describe('a rule of the user', () => {
  const reach = (url: string, answers: string[], allowed: string) =>
    guardedFetch(url, {
      resolve: () => answers,
      connect: () => netConnect({ host: '127.0.0.1', port }),
      allowHost: (host, onPort) => `${host}:${onPort}` === allowed,
    });

  it.each([
    ['http://wiki.internal/', ['10.0.0.7'], 'wiki.internal:80'],
    ['http://localhost:8080/', ['127.0.0.1'], 'localhost:8080'],
    ['http://192.168.1.1/', [], '192.168.1.1:80'],
    ['http://[::1]:3000/', [], '::1:3000'],
    ['http://nas.example/', ['fd12::1', '192.168.0.9'], 'nas.example:80'],
  ])('opens %s', async (url, answers, allowed) => {
    expect(await reach(url, answers, allowed)).toMatchObject({ kind: 'page', status: 200 });
  });

  it.each([
    ['another port', 'http://wiki.internal:81/', ['10.0.0.7'], 'wiki.internal:80'],
    ['another host', 'http://other.internal/', ['10.0.0.7'], 'wiki.internal:80'],
    ['the metadata address', 'http://wiki.internal/', ['169.254.169.254'], 'wiki.internal:80'],
    ['a mapped address', 'http://wiki.internal/', ['::ffff:10.0.0.7'], 'wiki.internal:80'],
    ['the metadata address by itself', 'http://169.254.169.254/', [], '169.254.169.254:80'],
  ])('does not open %s', async (_name, url, answers, allowed) => {
    await expect(reach(url, answers, allowed)).rejects.toMatchObject({ code: 'denied' });
  });
});
