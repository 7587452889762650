import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMachine } from './program.js';
import { type ServedPage, serve } from './web/browser.js';

const machine = createMachine({ 'notes.txt': 'alpha\n' });
let served: ServedPage;
let readOnly: ServedPage;
const table: string[] = [];

beforeAll(async () => {
  await machine.run(['-p', 'show notes.txt', '--provider', 'offline']);
  served = await serve(machine, { args: ['--provider', 'offline'] });
  readOnly = await serve(machine, { args: ['--read-only'] });
});
afterAll(async () => {
  await served.stop();
  await readOnly.stop();
  machine.cleanup();
  console.log(`attempts on the page:\n${table.join('\n')}`);
});

interface Attempt {
  method?: string;
  path?: string;
  headers?: Record<string, string | undefined>;
  body?: string;
}

function knock(
  { origin, token }: ServedPage,
  { method = 'POST', path = '/api/list/sessions', headers = {}, body = '{}' }: Attempt,
): Promise<{ status: number; text: string; headers: Record<string, unknown> }> {
  const { port, host } = new URL(origin);
  const all = { host, origin, 'content-type': 'application/json', 'x-toolwright-token': token, ...headers };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return new Promise((resolve, reject) => {
    const asked = request(
      { port, host: '127.0.0.1', path, method, headers: given, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
          // A stream has no end.
          if (path.startsWith('/api/subscribe') && text.includes('data:')) response.destroy();
        });
        response.on('close', () =>
          resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
        );
      },
    );
    asked.on('error', reject);
    asked.end(method === 'GET' ? undefined : body);
  });
}

const attempts: [string, Attempt, number][] = [
  ['the page itself, with its token', {}, 200],
  ['its stream', { method: 'GET', path: '/api/subscribe' }, 200],
  ['no token', { headers: { 'x-toolwright-token': undefined } }, 401],
  ['an empty token', { headers: { 'x-toolwright-token': '' } }, 401],
  ['a guessed token', { headers: { 'x-toolwright-token': 'A'.repeat(43) } }, 401],
  [
    'a token in the address',
    { path: '/api/list/sessions?token=TOKEN', headers: { 'x-toolwright-token': undefined } },
    401,
  ],
  [
    'a token as a cookie',
    { headers: { 'x-toolwright-token': undefined, cookie: 'x-toolwright-token=TOKEN' } },
    401,
  ],
  [
    'the stream without a token',
    { method: 'GET', path: '/api/subscribe', headers: { 'x-toolwright-token': undefined } },
    401,
  ],
  ['the token from a foreign origin', { headers: { origin: 'https://evil.example' } }, 403],
  ['the token from a development server', { headers: { origin: 'http://127.0.0.1:3000' } }, 403],
  ['an origin of null', { headers: { origin: 'null' } }, 403],
  ['a request from another site', { headers: { origin: undefined, 'sec-fetch-site': 'cross-site' } }, 403],
  [
    'the stream from a foreign origin',
    { method: 'GET', path: '/api/subscribe', headers: { origin: 'https://evil.example' } },
    403,
  ],
  ['a rebound name', { headers: { host: 'evil.example', origin: 'http://evil.example' } }, 421],
  ['a rebound name, for the page', { method: 'GET', path: '/', headers: { host: 'evil.example' } }, 421],
  ['the right name with another port', { headers: { host: '127.0.0.1:1' } }, 421],
  [
    'the stream under a rebound name',
    { method: 'GET', path: '/api/subscribe', headers: { host: 'evil.example' } },
    421,
  ],
  ['a form of another page', { headers: { 'content-type': 'text/plain' } }, 415],
  ['a preflight', { method: 'OPTIONS', headers: { 'access-control-request-method': 'POST' } }, 405],
  ['a file outside of the page', { method: 'GET', path: '/../../../../etc/passwd' }, 404],
  ['a file outside of the page, encoded', { method: 'GET', path: '/%2e%2e%2f%2e%2e%2fetc/passwd' }, 404],
  ['a request that there is none of', { path: '/api/__proto__' }, 404],
  ['no JSON', { body: '[1' }, 400],
];

describe('the entrance of the web page', () => {
  it.each(attempts)('answers %s', async (name, attempt, status) => {
    const path = attempt.path?.replace('TOKEN', served.token);
    const headers =
      attempt.headers && JSON.parse(JSON.stringify(attempt.headers).replace('TOKEN', served.token));
    const cleared = { ...attempt.headers, ...headers };
    const answer = await knock(served, { ...attempt, ...(path ? { path } : {}), headers: cleared });
    table.push(`  ${String(answer.status).padEnd(4)} ${name}`);
    expect(answer.status).toBe(status);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(answer.headers['content-security-policy']).toMatch(/default-src 'none'; script-src 'self'/);
    if (status !== 200) expect(answer.text).not.toMatch(/notes\.txt|root:/);
  });

  it('has a token that is new at each start and of no use elsewhere', async () => {
    expect(served.token).toMatch(/^[\w-]{43}$/);
    expect(readOnly.token).not.toBe(served.token);
    const stolen = await knock(readOnly, { headers: { 'x-toolwright-token': served.token } });
    table.push(`  ${stolen.status}  the token of another start`);
    expect(stolen.status).toBe(401);
  });

  it('changes nothing with --read-only, and still shows', async () => {
    for (const path of ['answer', 'prompt', 'prompt/cancel', 'undo', 'undo/keep', 'undo/drop']) {
      const { status, text } = await knock(readOnly, { path: `/api/${path}` });
      table.push(`  ${status}  ${path} with --read-only`);
      expect([status, text]).toEqual([403, expect.stringContaining('--read-only')]);
    }
    expect((await knock(readOnly, {})).text).toContain('show notes.txt');
  });

  it('writes its token into no journal and no log', async () => {
    const names = readdirSync(machine.state, { recursive: true, encoding: 'utf8', withFileTypes: true });
    const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect(readFileSync(file, 'latin1')).not.toContain(served.token);
  });
});

function askSecurely(
  origin: string,
  { path, body, token }: { path: string; body: string; token: string },
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(origin);
  const headers = { origin, 'content-type': 'application/json', 'x-toolwright-token': token };
  return new Promise((resolve, reject) => {
    const options = {
      hostname,
      port,
      path,
      method: 'POST',
      headers,
      rejectUnauthorized: false,
      agent: false,
    };
    const asked = requestSecurely(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('close', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

describe('toolwright web', () => {
  it('serves other machines over TLS alone, to whoever knows the password, and says what that means', async ({
    skip,
  }) => {
    const made = spawnSync('openssl', [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=127.0.0.2'],
      ...['-keyout', join(machine.home, 'key.pem'), '-out', join(machine.home, 'cert.pem')],
    ]);
    if (made.status !== 0) skip('openssl, which makes the certificate, is not installed');
    writeFileSync(join(machine.home, 'password'), 'correct horse battery\n');
    const args = ['--host', '127.0.0.2', '--tls-cert', join(machine.home, 'cert.pem')];
    args.push('--tls-key', join(machine.home, 'key.pem'), '--password-file', join(machine.home, 'password'));
    const abroad = await serve(machine, { args });
    try {
      expect(abroad.url).toMatch(/^https:\/\/127\.0\.0\.2:\d+\/$/);
      expect(abroad.errors()).toMatch(
        /knows the password can see your sessions and files, .* run commands as you/,
      );
      const ask = (path: string, body: object, token = ''): Promise<{ status: number; text: string }> =>
        askSecurely(abroad.origin, { path, body: JSON.stringify(body), token });
      expect((await ask('/api/list/sessions', {})).status).toBe(401);
      expect((await ask('/api/login', { password: 'wrong' })).status).toBe(401);
      const { status, text } = await ask('/api/login', { password: 'correct horse battery' });
      expect(status).toBe(200);
      expect((await ask('/api/list/sessions', {}, JSON.parse(text).token)).text).toContain('show notes.txt');
    } finally {
      await abroad.stop();
    }
  });

  it.each([
    [
      ['--host', '192.0.2.1'],
      /--host 192\.0\.2\.1 lets other machines reach the page, so it needs --tls-cert, --tls-key and --password-file/,
    ],
    [['--tls-cert', 'a.pem'], /belong to --host/],
    [['--port', '99999'], /write a port between 1 and 65535/],
    [['--host', '0.0.0.0', '--tls-cert', 'a', '--tls-key', 'b', '--password-file', 'c'], /name one address/],
    [['now'], /web takes no more arguments/],
  ])('refuses %j and says why', async (args, message) => {
    const { code, stderr } = await machine.run(['web', ...args]);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(message);
  });
});
