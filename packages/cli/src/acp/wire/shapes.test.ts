import { createRequire } from 'node:module';
import type { JsonObject } from '@toolwright/core';
import { validateJson } from '@toolwright/core/front-end';
import { describe, expect, it } from 'vitest';
import { problemOfParams, problemOfResult } from './shapes.js';

/** The schema that the protocol publishes. */
const { $defs } = createRequire(import.meta.url)('@agentclientprotocol/sdk/schema/v1/schema.json') as {
  $defs: Record<string, object>;
};

const sessionId = 's1';
const pair = { name: 'a', value: 'b' };
const mcpServers = [
  { name: 'one', command: '/bin/one', args: ['-x'], env: [pair] },
  { type: 'http', name: 'two', url: 'http://127.0.0.1/mcp', headers: [pair] },
  { type: 'sse', name: 'three', url: 'http://127.0.0.1/sse', headers: [] },
];
const place = { cwd: '/work', mcpServers, additionalDirectories: ['/other'] };
const prompt = [
  { type: 'text', text: 'Look at ' },
  { type: 'image', mimeType: 'image/png', data: 'AAAA' },
  { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
  { type: 'resource_link', name: 'a.ts', uri: 'file:///a.ts' },
  { type: 'resource', resource: { uri: 'file:///a.ts', text: 'one' } },
  { type: 'resource', resource: { uri: 'file:///a.png', blob: 'AAAA' } },
];
type Problem = (method: string, value: unknown) => string | null;
const samples: [name: string, method: string, definition: string, value: JsonObject, Problem][] = [
  ['initialize', 'initialize', 'InitializeRequest', { protocolVersion: 1 }, problemOfParams],
  ['session/new', 'session/new', 'NewSessionRequest', place, problemOfParams],
  ['session/load', 'session/load', 'LoadSessionRequest', { sessionId, ...place }, problemOfParams],
  ['session/resume', 'session/resume', 'ResumeSessionRequest', { sessionId, ...place }, problemOfParams],
  ['session/list', 'session/list', 'ListSessionsRequest', { cwd: '/work', cursor: 'c' }, problemOfParams],
  ['session/close', 'session/close', 'CloseSessionRequest', { sessionId }, problemOfParams],
  ['session/delete', 'session/delete', 'DeleteSessionRequest', { sessionId }, problemOfParams],
  ['session/prompt', 'session/prompt', 'PromptRequest', { sessionId, prompt }, problemOfParams],
  [
    'session/set_mode',
    'session/set_mode',
    'SetSessionModeRequest',
    { sessionId, modeId: 'plan' },
    problemOfParams,
  ],
  [
    'session/set_config_option',
    'session/set_config_option',
    'SetSessionConfigOptionRequest',
    { sessionId, configId: 'mode', value: 'plan' },
    problemOfParams,
  ],
  ['session/cancel', 'session/cancel', 'CancelNotification', { sessionId }, problemOfParams],
  [
    'a permission that was given',
    'session/request_permission',
    'RequestPermissionResponse',
    { outcome: { outcome: 'selected', optionId: '0' } },
    problemOfResult,
  ],
  [
    'a permission that was not given',
    'session/request_permission',
    'RequestPermissionResponse',
    { outcome: { outcome: 'cancelled' } },
    problemOfResult,
  ],
  [
    'a form that was filled in',
    'elicitation/create',
    'CreateElicitationResponse',
    { action: 'accept', content: { count: 3 } },
    problemOfResult,
  ],
];

/** The value with one member left out or of another kind, each once. */
function* damaged(value: unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    const member = (value as JsonObject)[key];
    const copy = (): JsonObject => (Array.isArray(value) ? [...value] : { ...value }) as JsonObject;
    if (!Array.isArray(value)) {
      const { [key]: _, ...without } = value as JsonObject;
      yield without;
    }
    for (const other of [7, 'text', true, null, [], {}])
      if (typeof other !== typeof member || Array.isArray(other) !== Array.isArray(member))
        yield Object.assign(copy(), { [key]: other });
    for (const inner of damaged(member)) yield Object.assign(copy(), { [key]: inner });
  }
}

/** Null counts as left out. */
function withoutNulls(value: unknown): unknown {
  return Object.fromEntries(Object.entries(value as JsonObject).filter(([, member]) => member !== null));
}

describe.each(samples)('%s', (_name, method, definition, value, problemOf) => {
  const schema = { $ref: `#/$defs/${definition}`, $defs };

  it('is taken as the published schema has it', () => {
    expect(validateJson(schema, value)).toBeNull();
    expect(problemOf(method, value)).toBeNull();
  });

  it('is refused, with its place, where the published schema refuses what is read of it', () => {
    const odd: unknown[] = [];
    for (const wrong of damaged(value)) {
      const refused = validateJson(schema, withoutNulls(wrong)) !== null;
      if (!refused && problemOf(method, wrong) !== null) odd.push({ refusedHereAlone: wrong });
      if (refused && problemOf(method, wrong) === null) odd.push({ takenHereAlone: wrong });
    }
    // The value of a choice is checked by the session, not by the shape.
    expect(odd.filter((each) => !JSON.stringify(each).includes('"configId":"mode"'))).toEqual([]);
  });
});

it('the refusal of a wrong shape names its place', () => {
  expect(problemOfParams('session/new', { cwd: 7, mcpServers: [] })).toBe('cwd must be a text');
  expect(problemOfParams('session/prompt', { sessionId, prompt: [{ type: 'smell' }] })).toBe(
    'prompt[0].type must be one of text, image, audio, resource_link, resource',
  );
  expect(
    problemOfParams('session/new', { cwd: '/', mcpServers: [{ name: 'a', command: 'b', args: [] }] }),
  ).toBe('mcpServers[0].env must be a list');
});
