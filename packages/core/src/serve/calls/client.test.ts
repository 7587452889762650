import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { describe, expect, it } from 'vitest';
import type { ConfirmRequest } from '../../scheduler/call.js';
import type { Caller, CallerAnswers, CallerRequests } from '../../tools/caller/caller.js';
import { askNow, callerFor, capabilitiesOf, confirmThrough, knowsTasks, tasksCapability } from './client.js';

const { signal } = new AbortController();
const form: CallerRequests = { a: { method: 'elicitation/create', params: { message: 'Name?' } } };

describe('the capabilities of a client', () => {
  const server = (declared: unknown) => ({ getClientCapabilities: () => declared }) as unknown as Server;
  const context = (envelope?: object) => ({ mcpReq: { envelope } }) as unknown as ServerContext;

  it('are those of the request, where it brings any, else those of the handshake', () => {
    const handshake = server({ roots: {} });
    expect(capabilitiesOf(handshake, context({ key: { sampling: {} } }), 'key')).toEqual({ sampling: {} });
    expect(capabilitiesOf(handshake, context(), 'key')).toEqual({ roots: {} });
  });

  it.each(['all of them', 7, null, undefined])('that are no object count as none: %j', (declared) => {
    expect(capabilitiesOf(server(declared), context({ key: declared }), 'key')).toEqual({});
  });

  it('hold tasks as an extension that is an object', () => {
    expect(knowsTasks(tasksCapability)).toBe(true);
    for (const extensions of [undefined, true, {}, { 'io.modelcontextprotocol/tasks': true }])
      expect(knowsTasks({ extensions })).toBe(false);
  });
});

describe('a client as tools see it', () => {
  const takes = (capabilities: object) => callerFor({ ...capabilities }, async () => ({})).takes;

  it.each([
    [{}, false],
    [{ elicitation: true }, false],
    [{ elicitation: {} }, true],
    [{ elicitation: { form: {} } }, true],
    [{ elicitation: { url: {} } }, false],
    [{ elicitation: { form: {}, url: {} } }, true],
  ])('that declares %j takes forms: %s', (capabilities, expected) => {
    expect(takes(capabilities)('elicitation/create')).toBe(expected);
  });

  it.each([
    [{ sampling: {} }, false],
    [{ sampling: { tools: true } }, false],
    [{ sampling: { tools: {} } }, true],
  ])('that declares %j takes tools with sampling: %s', (capabilities, expected) => {
    expect(takes(capabilities)('sampling/createMessage', 'tools')).toBe(expected);
    expect(takes(capabilities)('sampling/createMessage')).toBe(true);
  });

  it('is asked nothing when one of several requests is of a kind that it does not take', async () => {
    const asked: CallerRequests[] = [];
    const caller = callerFor({ elicitation: {} }, async (requests) => {
      asked.push(requests);
      return {};
    });
    const both: CallerRequests = { ...form, b: { method: 'sampling/createMessage' } };
    await expect(caller.ask(both, signal)).rejects.toMatchObject({
      capability: 'sampling',
      message: "This client can't be asked: it offers no sampling.",
    });
    expect(asked).toEqual([]);
    await caller.ask(form, signal);
    expect(asked).toEqual([form]);
  });
});

it('a client of the older revisions is asked everything at once, under the time limit of its request', async () => {
  const sent: unknown[] = [];
  const send = async (message: { method: string }, options: object) => {
    sent.push([message, options]);
    return { answered: message.method };
  };
  const ask = askNow({ mcpReq: { send } } as unknown as ServerContext, 9_000);
  expect(await ask({ ...form, b: { method: 'roots/list' } }, signal)).toEqual({
    a: { answered: 'elicitation/create' },
    b: { answered: 'roots/list' },
  });
  expect(sent).toEqual([
    [
      { method: 'elicitation/create', params: { message: 'Name?' } },
      { signal, timeout: 9_000 },
    ],
    [{ method: 'roots/list' }, { signal, timeout: 9_000 }],
  ]);
});

describe('the question about a call', () => {
  const question: ConfirmRequest = {
    callId: 'c1',
    tool: 'send',
    description: 'Send a mail',
    details: { kind: 'info', title: 'Send a mail', prompt: 'To Ada', urls: [], effects: [] },
    reason: 'the tool sends something',
    offers: [],
    modifiable: false,
  };
  const clean = (text: string) => text.replace('Ada', '[name]');

  function through(ask: () => Promise<CallerAnswers>, takesForms = true) {
    const asked: CallerRequests[] = [];
    const caller: Caller = {
      takes: () => takesForms,
      ask(requests) {
        asked.push(requests);
        return ask();
      },
    };
    return { asked, confirm: confirmThrough(caller, { clean }) };
  }

  it('reaches the user behind the client as a form, and only a plain yes is a yes', async () => {
    const yes = through(async () => ({ approval: { action: 'accept', content: { answer: 'once' } } }));
    expect(await yes.confirm(question, signal)).toEqual({ kind: 'once' });
    expect(yes.asked).toMatchObject([
      { approval: { method: 'elicitation/create', params: { mode: 'form' } } },
    ]);
    expect(JSON.stringify(yes.asked)).toContain('[name]');
    expect(JSON.stringify(yes.asked)).not.toContain('Ada');
    for (const answer of [{}, { action: 'accept' }, { action: 'accept', content: { answer: 'sure' } }])
      expect(await through(async () => ({ approval: answer })).confirm(question, signal)).toMatchObject({
        kind: 'cancel',
      });
    expect(await through(async () => ({})).confirm(question, signal)).toMatchObject({ kind: 'cancel' });
  });

  it('is answered with no where the client takes no forms', async () => {
    const { asked, confirm } = through(async () => ({}), false);
    expect(await confirm(question, signal)).toEqual({
      kind: 'cancel',
      reason: "the tool sends something; this client can't be asked (it offers no elicitation)",
      nobodyToAsk: true,
    });
    expect(asked).toEqual([]);
  });

  it.each([
    [
      new ToolError('timeout', 'nobody answered the question in time'),
      'nobody answered the question in time',
    ],
    [new Error('the pipe is gone'), 'the question could not be asked: the pipe is gone'],
  ])('that fails is a no with the reason: %s', async (error, reason) => {
    const { confirm } = through(async () => Promise.reject(error));
    expect(await confirm(question, signal)).toEqual({ kind: 'cancel', reason, nobodyToAsk: true });
  });

  it('of a call that was ended meanwhile ends with it', async () => {
    const ended = AbortSignal.abort('over');
    const { confirm } = through(async () => Promise.reject(new Error('ended')));
    await expect(confirm(question, ended)).rejects.toBe('over');
  });
});
