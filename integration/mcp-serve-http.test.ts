import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isConfined } from './confined.js';
import { type Listening, serveStages } from './mcp/serve-stage.js';
import { servesOverHttp } from './mcp/serves-over-http.js';
import { isLinux, processesOf } from './mcp/stage.js';

const stage = serveStages('HTTP');

servesOverHttp('2026-07-28');

it('the command of a client that went away ends, and whoever waited for it goes on', async (test) => {
  const { listen, machine } = stage(test);
  const server = await listen(['-y']);
  const [one, other] = await Promise.all([
    server.connect({ revision: '2026-07-28' }),
    server.connect({ revision: '2026-07-28' }),
  ]);
  const lost = one.call('run_shell_command', { command: 'echo x >> a.txt; sleep 324' }).catch(() => 'lost');
  const isSleeping = (): boolean => processesOf(machine).some((line) => line.includes('sleep 324'));
  await expect.poll(isSleeping).toBe(isLinux);
  const waiting = other.call('run_shell_command', { command: 'echo y >> a.txt' });
  await one.close();
  expect(await lost).toBe('lost');
  expect((await waiting).isError).toBe(false);
  expect(readFileSync(join(machine.workspace, 'a.txt'), 'utf8')).toBe('alpha\ny\n');
  await expect.poll(isSleeping).toBe(false);
});

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  path?: string;
}

/** Below fetch, which would not send a Host or an Origin of our choice. */
function send(
  { url, token }: Listening,
  { method = 'POST', headers = {}, body, path }: Sent = {},
): Promise<{ status: number; body: string }> {
  const target = new URL(path ?? '/mcp', url);
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      target,
      {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
      },
    );
    request.on('error', reject);
    request.end(method === 'POST' ? (body ?? JSON.stringify(hello)) : undefined);
  });
}

const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
};

const LARGE = 5 * 1024 * 1024;

it('only requests of this machine with the token are let in', async (test) => {
  const { listen } = stage(test);
  const server = await listen();
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  const port = new URL(server.url).port;
  const cases: [string, Sent, number][] = [
    ['the right token', {}, 200],
    ['no token', { headers: { authorization: '' } }, 401],
    ['a wrong token', { headers: { authorization: 'Bearer 0123456789abcdef' } }, 401],
    ['the token, not as a bearer', { headers: { authorization: server.token } }, 401],
    ['a foreign Origin', { headers: { origin: 'https://evil.example' } }, 403],
    ['an Origin that is none', { headers: { origin: 'null' } }, 403],
    ['a name that begins like ours', { headers: { origin: 'http://localhost.evil.example' } }, 403],
    ['an Origin of this machine', { headers: { origin: `http://localhost:${port}` } }, 200],
    ['a foreign Host', { headers: { host: 'evil.example' } }, 403],
    ['a foreign Host with our port', { headers: { host: `evil.example:${port}` } }, 403],
    ['another path', { path: '/' }, 404],
    ['a body that is too large', { body: ' '.repeat(LARGE) }, 413],
    [
      'a body that grows too large',
      { body: ' '.repeat(LARGE), headers: { 'transfer-encoding': 'chunked' } },
      413,
    ],
    ['no JSON', { body: '{' }, 400],
    ['another type', { headers: { 'content-type': 'text/plain' } }, 415],
    ['a session that is not there', { headers: { 'mcp-session-id': 'x' } }, 404],
    ['a preflight of a browser', { method: 'OPTIONS', headers: { origin: 'https://evil.example' } }, 403],
  ];
  for (const [name, sent, status] of cases) {
    const answer = await send(server, sent).catch((error: Error) => ({ status: 0, body: error.message }));
    expect(`${name}: ${answer.status}`, answer.body).toBe(`${name}: ${status}`);
  }
  console.log(
    `evidence: mcp serve --http answers ${cases.map(([name, , status]) => `${name} ${status}`).join(', ')}`,
  );
  expect((await send(server)).status).toBe(200);
});

it('the token is printed once, or taken from the environment or a file and not printed', async (test) => {
  const token = 'a-token-of-the-user-000123456789';
  const { listen, machine } = stage(test);
  const printed = await listen();
  expect(printed.stderr().split(printed.token)).toHaveLength(2);
  const fromEnvironment = await listen([], { TOOLWRIGHT_MCP_TOKEN: token });
  expect((await send({ ...fromEnvironment, token })).status).toBe(200);
  expect(fromEnvironment.stderr()).not.toContain(token);
  const file = join(machine.home, 'token');
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  const fromFile = await listen(['--token-file', file]);
  expect((await send({ ...fromFile, token })).status).toBe(200);
  expect((await send(fromFile)).status).toBe(401);
  writeFileSync(file, 'short\n');
  const refused = await machine.run(['mcp', 'serve', '--http', '--token-file', file]);
  expect(refused.code).toBe(52);
  expect(refused.stderr).toContain('at least 16 characters');
});

it('a port that is taken is said', async (test) => {
  const { listen, machine } = stage(test);
  const { url } = await listen();
  const second = await machine.run(['mcp', 'serve', '--http', new URL(url).port], { holdInput: true });
  expect(second.code).toBe(52);
  expect(second.stderr).toContain(`Port ${new URL(url).port} can't be used`);
});

describe.runIf(isConfined)('it ends, and what it has started ends with it,', () => {
  it.for<[string, (server: Listening) => void]>([
    ['at SIGTERM', ({ kill }) => kill('SIGTERM')],
    ['at SIGINT', ({ kill }) => kill('SIGINT')],
    ['when the pipe on its standard input is closed', ({ closeInput }) => closeInput()],
  ])('%s', async ([, end], test) => {
    const { listen, machine } = stage(test);
    const server = await listen(['-y']);
    const { call } = await server.connect();
    await call('run_shell_command', { command: 'sleep 320', is_background: true });
    // The client would look for the server again until its own time limit.
    const giveUp = new AbortController();
    const line = 'touch begun; sleep 321';
    const running = call('run_shell_command', { command: line }, giveUp.signal).catch(() => 'gone');
    const isSleeping = (): boolean => processesOf(machine).some((shown) => shown.includes('sleep 321'));
    await expect.poll(isSleeping).toBe(isLinux);
    end(server);
    expect(await server.ended).toBe(0);
    giveUp.abort();
    await running;
    expect(processesOf(machine)).toEqual([]);
    expect(existsSync(join(machine.workspace, 'begun'))).toBe(false);
  });
});
