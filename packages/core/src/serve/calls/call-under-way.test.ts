import { createFakeClock } from '@toolwright/machine/testing/fakes.js';
import { expect, it } from 'vitest';
import type { CallerRequests } from '../../tools/caller/caller.js';
import { type CallState, CallUnderWay, type Start } from './call-under-way.js';

const never = new AbortController().signal;
const yes = { action: 'accept' };
const form = (message: string): CallerRequests[string] => ({
  method: 'elicitation/create',
  params: { message },
});

function begin(start: Start, clock = createFakeClock()) {
  return new CallUnderWay(start, { clock, questionLimitMs: 1_000 });
}

function requestsOf(state: CallState): string[] {
  return state.kind === 'asking' ? Object.keys(state.requests) : [state.kind];
}

it('a call without a question is settled by its result, one that breaks by its failure', async () => {
  expect(await begin(async () => ({ text: 'done' })).whenSettled(never)).toEqual({
    kind: 'ended',
    result: { text: 'done' },
  });
  const error = new Error('broken');
  const broken = begin(async () => {
    throw error;
  });
  expect(await broken.whenSettled(never)).toEqual({ kind: 'failed', error });
});

it('a call goes on with each answer, and every question has a ticket of its own', async () => {
  const call = begin(async ({ ask, signal }) => ({
    heard: [await ask({ one: form('1') }, signal), await ask({ two: form('2') }, signal)],
  }));
  const first = await call.whenSettled(never);
  expect(requestsOf(first)).toEqual(['one']);
  call.answer({ one: yes });
  const second = await call.whenSettled(never);
  expect(requestsOf(second)).toEqual(['two']);
  expect(second).not.toMatchObject({ ticket: first.kind === 'asking' ? first.ticket : '' });
  call.answer({ two: { action: 'decline' } });
  expect(await call.whenSettled(never)).toEqual({
    kind: 'ended',
    result: { heard: [{ one: yes }, { two: { action: 'decline' } }] },
  });
});

it('a call that has ended stays ended when a question of it goes on, or another one is asked', async () => {
  let asked: Promise<unknown> = Promise.resolve();
  const call = begin(async ({ ask, signal }) => {
    asked = Promise.allSettled([ask({ one: form('1') }, signal), ask({ two: form('2') }, signal)]);
    await new Promise((resolve) => setImmediate(resolve));
    return { text: 'did not wait' };
  });
  expect(requestsOf(await call.whenSettled(never))).toEqual(['one']);
  await new Promise((resolve) => call.onChange(() => resolve(null)));
  call.answer({ one: yes });
  call.answer({ two: yes });
  call.cancel('over');
  await asked;
  expect(call.state).toEqual({ kind: 'ended', result: { text: 'did not wait' } });
});

it('requests may be answered one by one, and only those without an answer are asked again', async () => {
  const call = begin(({ ask, signal }) => ask({ one: form('1'), two: form('2') }, signal));
  await call.whenSettled(never);
  call.answer({ two: yes, stranger: yes });
  expect(requestsOf(call.state)).toEqual(['one']);
  call.answer({ two: { action: 'cancel' } });
  expect(requestsOf(call.state)).toEqual(['one']);
  call.answer({ one: yes });
  expect(await call.whenSettled(never)).toEqual({ kind: 'ended', result: { one: yes, two: yes } });
});

it('two questions at once are asked one after the other', async () => {
  const call = begin(async ({ ask, signal }) =>
    Promise.all([ask({ one: form('1') }, signal), ask({ two: form('2') }, signal)]),
  );
  expect(requestsOf(await call.whenSettled(never))).toEqual(['one']);
  call.answer({ one: yes });
  expect(requestsOf(await call.whenSettled(never))).toEqual(['two']);
});

it('a question that nobody answers fails at its limit, and the call goes on without it', async () => {
  const clock = createFakeClock();
  const call = begin(
    ({ ask, signal }) => ask({ one: form('1') }, signal).catch((error: Error) => ({ told: error.message })),
    clock,
  );
  await call.whenSettled(never);
  clock.advance(1_000);
  await expect
    .poll(() => call.state)
    .toEqual({ kind: 'ended', result: { told: 'nobody answered the question in time' } });
});

it('a cancelled call hears of it, at work and while its question waits', async () => {
  const call = begin(({ ask, signal }) => ask({ one: form('1') }, signal));
  await call.whenSettled(never);
  call.cancel('enough');
  await expect.poll(() => call.state).toEqual({ kind: 'failed', error: 'enough' });
});

it('whoever stops waiting leaves the call alone', async () => {
  const leg = new AbortController();
  const call = begin(async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return {};
  });
  const waiting = call.whenSettled(leg.signal);
  leg.abort('gone');
  await expect(waiting).rejects.toBe('gone');
  expect(call.state).toEqual({ kind: 'working' });
  call.cancel('over');
});

it('progress is told to whoever waits at that time', async () => {
  const heard: string[] = [];
  const hearing = (name: string) => ({
    progress: ({ message }: { message: string }) => void heard.push(`${name}: ${message}`),
  });
  const call = begin(async ({ ask, signal, hearer }) => {
    await ask({ one: form('1') }, signal);
    hearer().progress?.({ progress: 1, message: 'planning' });
    await ask({ two: form('2') }, signal);
    hearer().progress?.({ progress: 2, message: 'working' });
    return {};
  });
  for (const name of ['one', 'two']) {
    await call.whenSettled(never);
    call.setHearer(hearing(name));
    call.answer({ [name]: yes });
  }
  await call.whenSettled(never);
  expect(heard).toEqual(['one: planning', 'two: working']);
});
