import type { CallToolResult } from '@modelcontextprotocol/server';
import { createFakeClock } from '@toolwright/machine/testing/fakes.js';
import { expect, it } from 'vitest';
import type { ConfirmRequest, Outcome } from '../scheduler/call.js';
import { createOpenCalls, type Start, type WaitingRequest } from './open-calls.js';

const request = (tool: string): ConfirmRequest => ({
  callId: 'c1',
  tool,
  description: tool,
  details: { kind: 'info', title: tool, prompt: '', urls: [], effects: [] },
  reason: 'it asks',
  offers: [],
  modifiable: false,
});

const said = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });
const leg = (): WaitingRequest => ({ signal: new AbortController().signal });

/** Asks so many questions and answers with the outcomes. */
const asking =
  (...names: string[]): Start =>
  async (confirm, { signal }) => {
    const outcomes: Outcome['kind'][] = [];
    for (const name of names) outcomes.push((await confirm(request(name), signal)).kind);
    return said(outcomes.join(' '));
  };

function ticketOf(step: object): string {
  if (!('ticket' in step)) throw new Error('there is no question');
  return String(step.ticket);
}

it('a call without a question is answered at once', async () => {
  const calls = createOpenCalls(createFakeClock(), { limitMs: 1_000 });
  expect(await calls.begin('x', async () => said('done'), leg())).toEqual({ result: said('done') });
});

it('a call goes on with each answer, one ticket for one question', async () => {
  const calls = createOpenCalls(createFakeClock(), { limitMs: 1_000 });
  const first = await calls.begin('x', asking('one', 'two'), leg());
  const ticket = ticketOf(first);
  expect(first).toMatchObject({ request: { tool: 'one' } });
  const second = await calls.find(ticket, 'x')!.answer({ kind: 'once' }, leg());
  expect(second).toMatchObject({ request: { tool: 'two' } });
  expect(ticketOf(second)).not.toBe(ticket);
  expect(calls.find(ticket, 'x')).toBeNull();
  const last = await calls.find(ticketOf(second), 'x')!.answer({ kind: 'cancel' }, leg());
  expect(last).toEqual({ result: said('once cancel') });
});

it('a ticket is good for the call it was given for, and the question can be asked again', async () => {
  const calls = createOpenCalls(createFakeClock(), { limitMs: 1_000 });
  const step = await calls.begin('x', asking('one'), leg());
  expect(calls.find(ticketOf(step), 'another call')).toBeNull();
  expect(calls.find('no ticket', 'x')).toBeNull();
  expect(calls.find(ticketOf(step), 'x')!.again()).toEqual(step);
  expect(await calls.find(ticketOf(step), 'x')!.answer({ kind: 'once' }, leg())).toEqual({
    result: said('once'),
  });
});

it('without an answer in time the call is refused, and its ticket forgotten', async () => {
  const clock = createFakeClock();
  const calls = createOpenCalls(clock, { limitMs: 1_000 });
  let outcome: Outcome | null = null;
  const step = await calls.begin(
    'x',
    async (confirm, { signal }) => {
      outcome = await confirm(request('one'), signal);
      return said('');
    },
    leg(),
  );
  clock.advance(1_000);
  await expect
    .poll(() => outcome)
    .toEqual({
      kind: 'cancel',
      reason: 'nobody answered the question in time',
      nobodyToAsk: true,
    });
  expect(calls.find(ticketOf(step), 'x')).toBeNull();
});

it('the call hears of a cancelled request while one waits for it, and not of one that was answered', async () => {
  const calls = createOpenCalls(createFakeClock(), { limitMs: 1_000 });
  const [first, second] = [new AbortController(), new AbortController()];
  let inner: AbortSignal | null = null;
  const start: Start = async (confirm, { signal }) => {
    inner = signal;
    await confirm(request('one'), signal);
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return said('stopped');
  };
  const step = await calls.begin('x', start, { signal: first.signal });
  first.abort();
  expect(inner!.aborted).toBe(false);
  const running = calls.find(ticketOf(step), 'x')!.answer({ kind: 'once' }, { signal: second.signal });
  second.abort('enough');
  expect(await running).toEqual({ result: said('stopped') });
  expect(inner!.reason).toBe('enough');
});

it('progress is told to the request that waits at that time', async () => {
  const calls = createOpenCalls(createFakeClock(), { limitMs: 1_000 });
  const heard: string[] = [];
  const hearing = (name: string): WaitingRequest => ({
    ...leg(),
    tell: ({ message }) => heard.push(`${name}: ${message}`),
  });
  const start: Start = async (confirm, { signal, tell }) => {
    tell?.({ progress: 1, message: 'planning' });
    await confirm(request('one'), signal);
    tell?.({ progress: 2, message: 'working' });
    return said('done');
  };
  const step = await calls.begin('x', start, hearing('first'));
  await calls.find(ticketOf(step), 'x')!.answer({ kind: 'once' }, hearing('second'));
  expect(heard).toEqual(['first: planning', 'second: working']);
});
