import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../node-host.js';
import { listenOnLoopback } from './loopback-server.js';

async function start() {
  const server = await listenOnLoopback({
    port: 0,
    maxBodyBytes: 1_000,
    log: silentLog,
    refusal: ({ headers }) =>
      headers.get('authorization') === 'token' ? null : new Response('no', { status: 401 }),
    answer: async (_request, body) => new Response(`got ${body.length}`),
  });
  onTestFinished(() => server.close());
  return server;
}

/** Opens a connection and says so much on it; gives whether it is still open. */
async function stranger(port: number, says = ''): Promise<{ socket: Socket; isOpen(): boolean }> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let isOpen = true;
  socket.on('close', () => {
    isOpen = false;
  });
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.resume();
  if (says !== '') socket.write(says);
  return { socket, isOpen: () => isOpen };
}

const post = (port: number, body: string, token = 'token') =>
  fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers: { authorization: token } });

it.each([
  ['say nothing', ''],
  ['begin a head', 'POST / HTTP/1.1\r\nhost: x\r\n'],
  ['begin a body without a token', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 500\r\n\r\nabc'],
])('a thousand connections that %s keep nobody out', async (_what, says) => {
  const { port } = await start();
  const strangers: Awaited<ReturnType<typeof stranger>>[] = [];
  for (let count = 0; count < 1_000; count++) strangers.push(await stranger(port, says));
  expect(await (await post(port, 'hello')).text()).toBe('got 5');
  const left = () => strangers.filter(({ isOpen }) => isOpen()).length;
  await expect.poll(left).toBeLessThanOrEqual(70);
});

it('a connection that was let in is not among those that make room', async () => {
  const { port } = await start();
  const head = 'POST / HTTP/1.1\r\nhost: x\r\nauthorization: token\r\ncontent-length: 5\r\n\r\n';
  const admitted = await stranger(port, head);
  let answer = '';
  admitted.socket.on('data', (bytes) => {
    answer += bytes;
  });
  // The head is looked at before others come.
  await post(port, 'hello');
  for (let count = 0; count < 200; count++) await stranger(port);
  admitted.socket.write('hello');
  await expect.poll(() => answer).toContain('got 5');
});

it('a body that is too large is refused, whether or not its length was told', async () => {
  const { port } = await start();
  expect((await post(port, 'x'.repeat(2_000))).status).toBe(413);
  expect((await post(port, 'hello', 'other')).status).toBe(401);
});

it('a client that takes nothing of its response is cut off, and one that reads slowly is not', async () => {
  const chunk = new Uint8Array(1024 * 1024);
  let cancelled = 0;
  const endless = () =>
    new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(chunk),
      cancel: () => void (cancelled += 1),
    });
  const server = await listenOnLoopback({
    port: 0,
    maxBodyBytes: 1_000,
    stallLimitMs: 300,
    log: silentLog,
    refusal: () => null,
    answer: async () => new Response(endless()),
  });
  const open = (): Socket => {
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n');
    return socket;
  };
  const [deaf, slow] = [open().pause(), open().pause()];
  const reading = setInterval(() => slow.read(), 20);
  await expect.poll(() => cancelled).toBe(1);
  expect(slow.destroyed).toBe(false);
  clearInterval(reading);
  deaf.destroy();
  slow.destroy();
  await server.close();
});
