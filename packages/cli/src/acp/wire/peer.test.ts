import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { AcpFailure } from '../failures.js';
import { Peer, type PeerOptions } from './peer.js';

/** A peer between two streams, and the messages that it has written. */
function connect({ requests = {}, notifications = {} }: Partial<PeerOptions> = {}) {
  const input = new PassThrough();
  const output = new PassThrough();
  const peer = new Peer({ input, output, requests, notifications });
  const written: { id?: unknown; method?: string; params?: object; result?: unknown; error?: object }[] = [];
  const waiting: (() => void)[] = [];
  output.setEncoding('utf8').on('data', (text: string) => {
    written.push(
      ...text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    );
    for (const look of waiting.splice(0)) look();
  });
  return {
    peer,
    input,
    written,
    say: (message: object) => void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    async heard(count: number) {
      while (written.length < count) await new Promise<void>((resolve) => void waiting.push(resolve));
      return written;
    },
  };
}

const ask = { sessionId: 's', toolCall: { toolCallId: 'c' }, options: [] };
const signal = new AbortController().signal;

it('the connection to an editor answers a request with its id, and an error with its code', async () => {
  const { say, heard } = connect({
    requests: {
      'session/list': () => ({ sessions: [] }),
      'session/close': () => {
        throw new AcpFailure(-32_002, 'It is not open.');
      },
    },
  });
  say({ id: 'a', method: 'session/list' });
  say({ id: 2, method: 'session/close', params: { sessionId: 'x' } });
  say({ id: 3, method: '_tool/unknown' });
  say({ id: null, method: 'session/close', params: {} });
  const byId = new Map((await heard(4)).map((message) => [message.id, message]));
  expect(byId.get('a')).toEqual({ jsonrpc: '2.0', id: 'a', result: { sessions: [] } });
  expect(byId.get(2)?.error).toEqual({ code: -32_002, message: 'It is not open.' });
  expect(byId.get(3)?.error).toEqual({ code: -32_601, message: 'There is no method "_tool/unknown" here.' });
  expect(byId.get(null)?.error).toEqual({
    code: -32_602,
    message: 'Invalid parameters: sessionId must be a text.',
  });
});

it('the connection to an editor cancels the work on a request when the editor asks for that', async () => {
  const { say, heard } = connect({
    requests: {
      'session/prompt': (_: unknown, given: AbortSignal) =>
        new Promise((resolve) => given.addEventListener('abort', () => resolve({ stopReason: 'cancelled' }))),
    },
  });
  say({ id: 1, method: 'session/prompt', params: { sessionId: 's', prompt: [] } });
  say({ method: '$/cancel_request', params: { requestId: 'unknown' } });
  say({ method: '$/cancel_request', params: { requestId: 1 } });
  expect(await heard(1)).toMatchObject([{ id: 1, result: { stopReason: 'cancelled' } }]);
});

it('the connection to an editor refuses an answer that is none, and one with an error', async () => {
  const { peer, say } = connect();
  const first = peer.request('session/request_permission', ask, signal);
  say({ id: 1, result: { outcome: 'yes' } });
  await expect(first).rejects.toThrow("the editor's answer: result.outcome must be an object");
  const second = peer.request('session/request_permission', ask, signal);
  say({ id: 2, error: { code: -32_601, message: 'no dialogs' } });
  await expect(second).rejects.toThrow('no dialogs');
  const third = peer.request('session/request_permission', ask, signal);
  say({ id: 3, result: { outcome: { outcome: 'selected', optionId: '1' } } });
  expect(await third).toEqual({ outcome: { outcome: 'selected', optionId: '1' } });
});

it('the connection to an editor stops waiting when a question is cancelled, tells the editor, and takes no notice of a late answer', async () => {
  const { peer, say, heard } = connect();
  const controller = new AbortController();
  const asked = peer.request('session/request_permission', ask, controller.signal);
  controller.abort(new Error('no longer'));
  await expect(asked).rejects.toThrow('no longer');
  say({ id: 1, result: { outcome: { outcome: 'cancelled' } } });
  say({ id: 1, method: 'session/list' });
  expect(await heard(3)).toMatchObject([
    { id: 1, method: 'session/request_permission' },
    { method: '$/cancel_request', params: { requestId: 1 } },
    { id: 1, error: { code: -32_601 } },
  ]);
});

it('the connection to an editor takes notice of a notification only where it has the right shape, and never answers one', async () => {
  const cancelled: unknown[] = [];
  const { say, heard } = connect({
    notifications: { 'session/cancel': (params) => void cancelled.push(params) },
  });
  say({ method: 'session/cancel', params: { sessionId: 7 } });
  say({ method: 'session/cancel' });
  say({ method: 'toString', params: {} });
  say({ method: 'session/cancel', params: { sessionId: 's' } });
  say({ id: 1, method: 'session/list' });
  expect(await heard(1)).toMatchObject([{ id: 1 }]);
  expect(cancelled).toEqual([{ sessionId: 's' }]);
});

it('the connection to an editor ends for both sides when the editor is gone', async () => {
  let aborted = false;
  const { peer, input, say } = connect({
    requests: {
      'session/list': (_: unknown, given: AbortSignal) =>
        new Promise(() => given.addEventListener('abort', () => void (aborted = true))),
    },
  });
  say({ id: 1, method: 'session/list' });
  const asked = peer.request('session/request_permission', ask, signal);
  asked.catch(() => undefined);
  input.end();
  await peer.closed;
  await expect(asked).rejects.toThrow('the editor is gone');
  await expect(peer.request('session/request_permission', ask, signal)).rejects.toThrow('the editor is gone');
  expect(aborted).toBe(true);
});
