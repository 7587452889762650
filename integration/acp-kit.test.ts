import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@toolwright/core';
import { type FakeModelServer, startFakeModelServer } from '@toolwright/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Line, openRawEditor, problemOf, type RawEditor } from './acp/raw.js';
import { createMachine } from './program.js';

/**
 * The requirements of the protocol's test kit for agents of version 1, by its names
 * (https://github.com/agentclientprotocol/acp-tck), each rebuilt from its description. One conversation is had, and
 * judged once for each requirement.
 */
describe("the protocol's test kit", () => {
  const machine = createMachine({ 'a.txt': 'alpha\n' });
  const cwd = machine.workspace;
  const place = { cwd, mcpServers: [] };
  const text = (words: string) => [{ type: 'text', text: words }];
  const image =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
  const stopReasons = ['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled'];
  const got: Record<string, Line> = {};
  /** The number of lines heard when each response came. */
  const at: Record<string, number> = {};
  const methods = new Map<unknown, string>();
  let model: FakeModelServer;
  let editor: RawEditor;
  let exit: number | null;

  /** Asks, and keeps the response under a name. */
  async function ask(name: string, method: string, params: object = {}, id?: string | number): Promise<Line> {
    const line = await editor.request(method, params, id);
    got[name] = line;
    at[name] = editor.lines.indexOf(line);
    methods.set(line.id, method);
    return line;
  }
  const begin = async (name: string): Promise<string> =>
    String((await ask(name, 'session/new', place)).result?.['sessionId']);

  beforeAll(async () => {
    model = await startFakeModelServer({
      otherwise: ({ body }) =>
        JSON.stringify((body['messages'] as object[]).at(-1)).includes('LONG')
          ? { text: 'Once', afterwards: 'silence' }
          : { text: 'Hello.' },
    });
    mkdirSync(join(cwd, 'more'));
    editor = openRawEditor(machine, model);
    await shakeHands();
    const sessionId = await begin('session');
    await prompts(sessionId);
    await choices(sessionId);
    await lifecycle(sessionId);
    await mistakes();
    exit = await editor.close();
  });
  afterAll(async () => {
    await editor.close();
    await model.close();
    machine.cleanup();
  });

  async function shakeHands(): Promise<void> {
    await ask('initialize', 'initialize', { protocolVersion: 1, clientCapabilities: {} }, 0);
    await ask(
      'later version',
      'initialize',
      { protocolVersion: 65_535, info: { name: 'a', version: '1' } },
      'text-id',
    );
  }

  async function prompts(sessionId: string): Promise<void> {
    await ask('text', 'session/prompt', { sessionId, prompt: text('Read a file if you like') });
    const link = { type: 'resource_link', name: 'a.txt', uri: `file://${cwd}/a.txt` };
    await ask('link', 'session/prompt', { sessionId, prompt: [...text('See'), link] });
    const picture = { type: 'image', mimeType: 'image/png', data: image };
    await ask('image', 'session/prompt', { sessionId, prompt: [...text('See'), picture] });
    const resource = { type: 'resource', resource: { uri: `file://${cwd}/a.txt`, text: 'alpha\n' } };
    await ask('resource', 'session/prompt', { sessionId, prompt: [...text('See'), resource] });
    const trace = { traceparent: '00-80e1afed08e019fc1110464cfa66635c-7a085853722dc6d2-01' };
    await ask('meta', 'session/prompt', { sessionId, prompt: text('Hi'), _meta: trace });
    editor.notify('session/cancel', { sessionId });
    await cancelled(sessionId, 'cancelled', () => editor.notify('session/cancel', { sessionId }));
  }

  /** A prompt that is stopped as soon as its first words are there. */
  async function cancelled(sessionId: string, name: string, stop: () => unknown): Promise<void> {
    const before = editor.lines.length;
    const prompted = ask(name, 'session/prompt', { sessionId, prompt: text('LONG') });
    await editor.heard(
      (line) => editor.lines.indexOf(line) >= before && isUpdate(line, 'agent_message_chunk'),
    );
    await stop();
    await prompted;
  }

  async function choices(sessionId: string): Promise<void> {
    await ask('mode', 'session/set_mode', { sessionId, modeId: 'plan' });
    await ask('option', 'session/set_config_option', { sessionId, configId: 'mode', value: 'auto-edit' });
  }

  async function lifecycle(sessionId: string): Promise<void> {
    const other = await begin('second session');
    await ask('untouched loaded', 'session/load', { sessionId: other, ...place });
    await ask('more folders', 'session/new', { ...place, additionalDirectories: [join(cwd, 'more')] });
    at['before load'] = editor.lines.length;
    await ask('loaded', 'session/load', { sessionId, ...place });
    at['before resume'] = editor.lines.length;
    await ask('resumed', 'session/resume', { sessionId, cwd });
    await ask('list', 'session/list', {});
    await ask('list elsewhere', 'session/list', { cwd: '/nobody/works/here' });
    await ask('closed', 'session/close', { sessionId: other });
    await cancelled(sessionId, 'cancelled by close', () =>
      ask('closed at work', 'session/close', { sessionId }),
    );
    await ask('deleted', 'session/delete', { sessionId });
    await ask('deleted again', 'session/delete', { sessionId });
    await ask('deleted untouched', 'session/delete', { sessionId: other });
  }

  async function mistakes(): Promise<void> {
    await ask('unknown method', '_tool/does_not_exist', { any: 'thing' });
    await ask('no params', 'session/prompt', {});
    await ask('unknown session', 'session/prompt', { sessionId: 'never', prompt: text('Hi') });
    editor.send('this is not JSON');
    editor.send('{"foo": "bar"}');
    await ask('after mistakes', 'session/new', place);
    // Whatever would still come has time to come.
    await new Promise((resolve) => setTimeout(resolve, 300));
  }

  const updateOf = ({ method, params }: Line): JsonObject =>
    (method === 'session/update' ? params?.['update'] : undefined) as JsonObject;
  const isUpdate = (line: Line, kind: string): boolean => updateOf(line)?.['sessionUpdate'] === kind;
  const result = (name: string): JsonObject => {
    expect([name, got[name]?.error]).toEqual([name, undefined]);
    return got[name]!.result!;
  };
  const between = (from: number, to: number): Line[] => editor.lines.slice(from, to);
  const isHistory = (line: Line): boolean =>
    ['user_message_chunk', 'agent_message_chunk', 'agent_thought_chunk'].some((kind) => isUpdate(line, kind));
  const stopped = (name: string): void => expect(stopReasons).toContain(result(name)['stopReason']);
  const configOptions = (name: string) =>
    result(name)['configOptions'] as {
      id: string;
      type: string;
      currentValue: string;
      options: { value: string }[];
    }[];
  const neverAsked = (prefix: string): void =>
    expect(editor.lines.filter(({ method }) => method?.startsWith(prefix))).toEqual([]);

  const requirements: Record<string, () => void> = {
    'TRANSPORT-001: every line is a message of JSON-RPC 2.0': () => {
      const lines = editor.output().toString('utf8').trimEnd().split('\n');
      expect(lines.every((line) => JSON.parse(line).jsonrpc === '2.0')).toBe(true);
    },
    'TRANSPORT-002: the output is UTF-8': () =>
      expect(new TextDecoder('utf-8', { fatal: true }).decode(editor.output())).not.toBe(''),
    'JSONRPC-001: a response has the id of its request, a number or a text': () =>
      expect([got['initialize']?.id, got['later version']?.id]).toEqual([0, 'text-id']),
    'JSONRPC-002: a response has a result or an error, never both': () => {
      for (const line of editor.lines.filter(({ method }) => method === undefined)) {
        expect('result' in line).toBe(!('error' in line));
        if (line.error)
          expect([typeof line.error.code, typeof line.error.message]).toEqual(['number', 'string']);
      }
    },
    'JSONRPC-003: a notification is never answered': () => {
      const unasked = editor.lines.filter(({ id, method }) => method === undefined && !methods.has(id));
      // Each of the two lines that are no messages gets an error.
      expect(unasked.map(({ id }) => id)).toEqual([null, null]);
    },
    'JSONRPC-004: an unknown method is answered with -32601': () =>
      expect(got['unknown method']?.error?.code).toBe(-32_601),
    'JSONRPC-005: the connection goes on after errors': () => void result('after mistakes'),
    'INIT-001: the introduction has the published shape': () =>
      expect(problemOf(got['initialize']!, 'initialize')).toBeNull(),
    'INIT-002: version 1 is answered with version 1': () =>
      expect(result('initialize')['protocolVersion']).toBe(1),
    'INIT-003: a version nobody knows is answered with the latest that is spoken': () =>
      expect(result('later version')['protocolVersion']).toBe(1),
    'INIT-004: the agent names itself and its version': () =>
      expect(result('initialize')['agentInfo']).toMatchObject({
        name: 'toolwright',
        version: expect.stringMatching(/\d/),
      }),
    'SCHEMA-001: every message fits the published schema': () => {
      const problems = editor.lines.map((line) => problemOf(line, methods.get(line.id)));
      expect(problems.filter((problem) => problem !== null)).toEqual([]);
    },
    'SESSION-001: a new session has an id': () => expect(result('session')['sessionId']).toMatch(/./),
    'SESSION-002: two sessions have two ids': () =>
      expect(result('session')['sessionId']).not.toBe(result('second session')['sessionId']),
    'PROMPT-001: a prompt ends with a reason': () => stopped('text'),
    'PROMPT-002: updates of a prompt name its session': () => {
      const told = between(at['session']!, at['cancelled']!).filter(
        ({ method }) => method === 'session/update',
      );
      expect(new Set(told.map(({ params }) => params?.['sessionId']))).toEqual(
        new Set([result('session')['sessionId']]),
      );
    },
    'PROMPT-003: a prompt may link to a file': () => stopped('link'),
    'CANCEL-001: a cancelled prompt ends as cancelled, not with an error': () =>
      expect(result('cancelled')).toEqual({ stopReason: 'cancelled' }),
    'CANCEL-002: nothing of a cancelled prompt comes after its response': () => {
      const later = between(at['cancelled']! + 1, at['mode']!);
      expect(later.filter(isHistory)).toEqual([]);
      expect(later.filter((line) => isUpdate(line, 'tool_call_update'))).toEqual([]);
    },
    'LOAD-001: a session is loaded, also one in which nothing was said': () => {
      expect(result('loaded')).toMatchObject({ modes: {} });
      expect(result('untouched loaded')).toMatchObject({ modes: {} });
    },
    'LOAD-002: what was said is told before the response, and nothing after it': () => {
      expect(between(at['before load']!, at['loaded']!).filter(isHistory).length).toBeGreaterThan(5);
      expect(between(at['loaded']!, at['resumed']!).filter(isHistory)).toEqual([]);
    },
    'LOAD-003: the response is an object': () => expect(typeof result('loaded')).toBe('object'),
    'RESUME-001: a session is resumed without servers': () =>
      expect(result('resumed')).toMatchObject({ modes: {} }),
    'RESUME-002: nothing that was said is told again': () =>
      expect(between(at['before resume']!, at['resumed']!).filter(isHistory)).toEqual([]),
    'LIST-001: sessions are listed': () =>
      expect(result('list')['sessions']).toMatchObject([{ title: expect.stringMatching(/./) }]),
    'LIST-002: a folder without sessions has an empty list': () =>
      expect(result('list elsewhere')).toEqual({ sessions: [] }),
    'DELETE-001: a session is deleted': () =>
      expect([result('deleted'), result('deleted untouched')]).toEqual([{}, {}]),
    'DELETE-002: what is not there is deleted without an error': () =>
      expect(result('deleted again')).toEqual({}),
    'CLOSE-001: an idle session is closed': () => expect(result('closed')).toEqual({}),
    'CLOSE-002: closing a session at work cancels its prompt': () =>
      expect([result('closed at work'), result('cancelled by close')]).toEqual([
        {},
        { stopReason: 'cancelled' },
      ]),
    'ADDDIRS-001: further folders are taken': () => expect(result('more folders')['sessionId']).toMatch(/./),
    'MODES-001: the mode is one of those that are offered': () => {
      const { currentModeId, availableModes } = result('session')['modes'] as Record<
        string,
        { id: string }[]
      >;
      expect(availableModes?.map(({ id }) => id)).toContain(currentModeId);
    },
    'MODES-002: the mode is changed, and the update names it': () => {
      result('mode');
      const told = editor.lines.filter((line) => isUpdate(line, 'current_mode_update'));
      expect(told.map((line) => updateOf(line)['currentModeId'])).toContain('plan');
    },
    'CONFIG-001: the value of each option is one of those that are offered': () => {
      for (const { currentValue, options } of configOptions('session'))
        expect(options.map(({ value }) => value)).toContain(currentValue);
    },
    'CONFIG-002: a change is answered with all options': () => {
      const ids = (name: string): string[] => configOptions(name).map(({ id }) => id);
      expect(ids('option')).toEqual(expect.arrayContaining(ids('session')));
      expect(configOptions('option').find(({ id }) => id === 'mode')?.currentValue).toBe('auto-edit');
    },
    'CONFIG-003: no option is a switch, which the editor has not offered to draw': () =>
      expect(configOptions('session').map(({ type }) => type)).not.toContain('boolean'),
    'PROMPTCAP-001: a prompt may have an image': () => stopped('image'),
    'PROMPTCAP-002: audio is not offered': () =>
      // Not applicable while audio is not offered.
      expect(result('initialize')['agentCapabilities']).toMatchObject({
        promptCapabilities: { audio: false },
      }),
    'PROMPTCAP-003: a prompt may have a file in it': () => stopped('resource'),
    'AUTH-001: ways to sign in have ids of their own: there are none': () =>
      expect(result('initialize')['authMethods']).toEqual([]),
    'AUTH-002: no sign-in needs a terminal': () =>
      expect(JSON.stringify(result('initialize'))).not.toContain('terminal'),
    // 003 and 004 do not apply: there is nothing to sign in to, so nothing to leave either.
    'AUTH-003: there is nothing to sign in to': () => expect(result('initialize')['authMethods']).toEqual([]),
    'AUTH-004: nor to sign out of': () =>
      expect(result('initialize')['agentCapabilities']).not.toHaveProperty('auth'),
    'AUTH-005: a session needs no sign-in': () => expect(got['session']?.error?.code).toBeUndefined(),
    'CLIENTCAP-001: files of the editor are never asked for': () => neverAsked('fs/'),
    'CLIENTCAP-002: nor its terminals': () => neverAsked('terminal/'),
    'CLIENTCAP-003: nor its forms': () => neverAsked('elicitation/'),
    'EXT-001: a method of somebody else is answered': () => expect(got['unknown method']).toBeDefined(),
    'META-001: what others put into a prompt does no harm': () => stopped('meta'),
    'ERROR-001: errors are one line of text': () => {
      const errors = editor.lines.flatMap(({ error }) => (error ? [error.message] : []));
      expect(errors.length).toBeGreaterThan(3);
      for (const message of errors) expect(message).toMatch(/^[^\n]+$/);
    },
    'SHUTDOWN-001: it ends by itself when the editor closes its end': () => expect(exit).toBe(0),
    'SCHEMA-002: no message has members of our own: the check finds one': () => {
      const strange = { result: { protocolVersion: 1, strange: true } };
      expect(problemOf(strange, 'initialize')).toBe('InitializeResponse has no strange');
    },
    'STDERR-001: nothing is said beside the protocol': () => expect(editor.errors()).toBe(''),
    'INFO-PARSE-001: a line that is not JSON is answered with -32700': () =>
      expect(editor.lines.filter(({ id }) => id === null)[0]?.error?.code).toBe(-32_700),
    'INFO-INVALIDREQ-001: JSON that is no message is answered with -32600': () =>
      expect(editor.lines.filter(({ id }) => id === null)[1]?.error?.code).toBe(-32_600),
    'INFO-UNKNOWNSESSION-001: a session that is not there is answered with -32002': () =>
      expect(got['unknown session']?.error?.code).toBe(-32_002),
  };

  it.each(Object.keys(requirements))('ACP-%s', (name) => requirements[name]!());
});
