import { afterEach, expect, it } from 'vitest';
import { type CallbackListener, listenForCallback } from './callback-listener.js';

const { signal } = new AbortController();
const open: CallbackListener[] = [];
afterEach(() => {
  for (const listener of open.splice(0)) listener.close();
});

async function listen(port = 0): Promise<CallbackListener | null> {
  const answer = (query: URLSearchParams) => (query.get('state') === 'other' ? null : 'Done.');
  const listener = await listenForCallback({ port, path: '/callback', answer });
  if (listener) open.push(listener);
  return listener;
}

it('the listener for a browser gives what the browser brought to the right path, and a page to the user', async () => {
  const listener = await listen();
  const url = listener?.url ?? '';
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  expect((await fetch(url.replace('/callback', '/favicon.ico'))).status).toBe(404);
  expect((await fetch(`${url}?code=x`, { method: 'POST' })).status).toBe(404);
  expect((await fetch(`${url}?code=x&state=other`)).status).toBe(400);
  const page = await fetch(`${url}?code=a%20b&state=s`);
  expect([page.status, page.headers.get('content-type'), await page.text()]).toEqual([
    200,
    'text/plain; charset=utf-8',
    'Done.',
  ]);
  await fetch(`${url}?code=second`);
  expect((await listener?.received(signal))?.toString()).toBe('code=a+b&state=s');
});

it('the listener for a browser says when the port is taken, and waits no longer than the signal', async () => {
  const first = await listen();
  expect(await listen(Number(new URL(first?.url ?? '').port))).toBeNull();
  const controller = new AbortController();
  const waiting = first?.received(controller.signal);
  controller.abort('enough');
  await expect(waiting).rejects.toBe('enough');
});
