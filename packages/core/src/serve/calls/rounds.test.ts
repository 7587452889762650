import type { ServerContext } from '@modelcontextprotocol/server';
import { createFakeClock } from '@toolwright/machine/testing/fakes.js';
import { describe, expect, it } from 'vitest';
import { loadServerSdk } from '../server-sdk.js';
import type { CallState, Start } from './call-under-way.js';
import { createRounds, responseOf } from './rounds.js';

const sdk = await loadServerSdk();
const clock = createFakeClock();
const rounds = () => createRounds(sdk, { clock, questionLimitMs: 1_000_000 });

interface Request {
  /** The state of the question that the request comes back to. */
  ticket?: unknown;
  answers?: object;
  signal?: AbortSignal;
}

/** A request as the library hands it over. */
function request({ ticket, answers, signal = new AbortController().signal }: Request = {}): ServerContext {
  return {
    mcpReq: { requestState: () => ticket, inputResponses: answers, signal },
  } as unknown as ServerContext;
}

/** A call that asks for a name and greets it. */
const greeting: Start = async ({ ask, signal }) => {
  const { name } = await ask(
    { name: { method: 'elicitation/create', params: { message: 'Name?' } } },
    signal,
  );
  return { greeted: name };
};
const round = { request: 'greet {}', start: greeting };
const ticketOf = (state: CallState): unknown => (state.kind === 'asking' ? state.ticket : null);
const ada = { action: 'accept', content: { name: 'Ada' } };
const NOBODY_WAITS = 'No question of this call waits for an answer';

describe('a request that is asked something', () => {
  it('goes on with the answer that comes in the next request, and is not begun a second time', async () => {
    const all = rounds();
    const first = await all.next(round, request());
    expect(responseOf(first.state)).toEqual({
      resultType: 'input_required',
      inputRequests: { name: { method: 'elicitation/create', params: { message: 'Name?' } } },
      requestState: ticketOf(first.state),
    });
    const answered = request({ ticket: ticketOf(first.state), answers: { name: ada } });
    const second = await all.next(round, answered);
    expect(second.call).toBe(first.call);
    expect(responseOf(second.state)).toEqual({ greeted: ada });
  });

  it.each([
    ['none at all', undefined],
    ['one to another question', { age: ada }],
    ['one of the wrong shape', { name: { action: 'perhaps' } }],
  ])('is asked again for an answer that is missing: %s', async (_what, answers) => {
    const all = rounds();
    const { state } = await all.next(round, request());
    const again = await all.next(round, request({ ticket: ticketOf(state), answers }));
    expect(again.state).toMatchObject({ kind: 'asking', requests: { name: {} } });
  });

  it.each(['a ticket of nobody', 7, { made: 'up' }])(
    'is refused with a made-up ticket: %j',
    async (ticket) => {
      const all = rounds();
      await all.next(round, request());
      await expect(all.next(round, request({ ticket, answers: { name: ada } }))).rejects.toMatchObject({
        code: sdk.ProtocolErrorCode.InvalidParams,
        message: expect.stringContaining(NOBODY_WAITS),
      });
    },
  );

  it('is refused when the answer belongs to another request', async () => {
    const all = rounds();
    const ticket = ticketOf((await all.next(round, request())).state);
    const other = { ...round, request: 'greet {"loudly":true}' };
    await expect(all.next(other, request({ ticket, answers: { name: ada } }))).rejects.toThrow(NOBODY_WAITS);
    const right = await all.next(round, request({ ticket, answers: { name: ada } }));
    expect(right.state.kind).toBe('ended');
  });

  it('takes an answer once', async () => {
    const all = rounds();
    const ticket = ticketOf((await all.next(round, request())).state);
    await all.next(round, request({ ticket, answers: { name: ada } }));
    await expect(all.next(round, request({ ticket, answers: { name: ada } }))).rejects.toThrow(NOBODY_WAITS);
  });

  it('gives way when more than 32 questions wait: the oldest call is ended', async () => {
    const all = rounds();
    const first = await all.next(round, request());
    const second = await all.next(round, request());
    for (let count = 0; count < 31; count++) await all.next(round, request());
    await expect.poll(() => first.call.state.kind).toBe('failed');
    expect(second.call.state.kind).toBe('asking');
    const ticket = ticketOf(first.state);
    await expect(all.next(round, request({ ticket, answers: { name: ada } }))).rejects.toThrow(NOBODY_WAITS);
  });
});

describe('a request that nobody waits for any more', () => {
  it('withdraws its call', async () => {
    const gone = new AbortController();
    let ended: unknown = null;
    const start: Start = ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          ended = signal.reason;
          reject(signal.reason);
        });
      });
    const waiting = rounds().next({ request: 'wait', start }, request({ signal: gone.signal }));
    gone.abort('the client went away');
    await expect(waiting).rejects.toBe('the client went away');
    expect(ended).toBe('the client went away');
  });
});

describe('a call that takes longer than its request waits', () => {
  it('is told to be working, and goes on', async () => {
    let finish: (result: object) => void = () => undefined;
    const start: Start = () => new Promise((resolve) => (finish = resolve));
    const deadline = { ms: 5_000, clock };
    const waiting = rounds().next({ request: 'long', start, deadline }, request());
    await new Promise(setImmediate);
    clock.advance(5_000);
    const { call, state } = await waiting;
    expect(state.kind).toBe('working');
    expect(() => responseOf(state)).toThrow('the call is not settled');
    finish({ done: true });
    expect(await call.whenSettled(new AbortController().signal)).toEqual({
      kind: 'ended',
      result: { done: true },
    });
  });
});

it('the error of a call that failed is the answer to its request', () => {
  const error = new Error('broken');
  expect(() => responseOf({ kind: 'failed', error })).toThrow(error);
});
