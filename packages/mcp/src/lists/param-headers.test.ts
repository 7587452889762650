import type { JsonObject } from '@toolwright/machine/base/json.js';
import { describe, expect, it } from 'vitest';
import { paramHeadersFor, paramHeadersIn } from './param-headers.js';

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});
const region = { type: 'string', 'x-mcp-header': 'Region' };

describe('declarations of headers', () => {
  it('are found at any depth of properties', () => {
    const schema = object({
      region,
      place: object({ zone: { type: 'integer', 'x-mcp-header': 'Zone' } }),
      'x-mcp-header': { type: 'string' },
    });
    expect(paramHeadersIn(schema)).toEqual([
      { path: ['region'], name: 'Region' },
      { path: ['place', 'zone'], name: 'Zone' },
    ]);
  });

  it.each<[string, JsonObject, string]>([
    ['an empty name', object({ a: { type: 'string', 'x-mcp-header': '' } }), 'not the name of a header'],
    [
      'a name with a blank',
      object({ a: { type: 'string', 'x-mcp-header': 'A B' } }),
      'not the name of a header',
    ],
    [
      'a line break in it',
      object({ a: { type: 'string', 'x-mcp-header': 'A\r\nB: c' } }),
      'not the name of a header',
    ],
    ['a number as name', object({ a: { type: 'string', 'x-mcp-header': 3 } }), 'not the name of a header'],
    [
      'a fraction',
      object({ a: { type: 'number', 'x-mcp-header': 'A' } }),
      'text, whole numbers and true or false',
    ],
    ['no type', object({ a: { 'x-mcp-header': 'A' } }), 'text, whole numbers and true or false'],
    [
      'an object',
      object({ a: { type: 'object', 'x-mcp-header': 'A' } }),
      'text, whole numbers and true or false',
    ],
    ['the whole schema', { type: 'object', 'x-mcp-header': 'A' }, 'no single argument'],
    ['items of a list', object({ a: { type: 'array', items: region } }), 'no single argument'],
    ['an alternative', object({}, { anyOf: [object({ region })] }), 'no single argument'],
    ['a definition', object({}, { $defs: { region } }), 'no single argument'],
    [
      'the same name twice',
      object({ a: region, b: { type: 'string', 'x-mcp-header': 'REGION' } }),
      '"region"',
    ],
  ])('can not be followed: %s', (_what, schema, problem) => {
    expect(paramHeadersIn(schema)).toContain(problem);
  });

  it('are nothing in data', () => {
    expect(paramHeadersIn(object({ a: { type: 'object', default: region } }))).toEqual([]);
  });
});

describe('headers of a call', () => {
  const declared = [{ path: ['a', 'b'], name: 'B' }];
  it.each<[unknown, string | undefined]>([
    ['us-west1', 'us-west1'],
    ['two words', 'two words'],
    [42, '42'],
    [false, 'false'],
    ['', '=?base64??='],
    [' padded', '=?base64?IHBhZGRlZA==?='],
    ['Zürich', '=?base64?WsO8cmljaA==?='],
    ['a\r\nHost: evil', '=?base64?YQ0KSG9zdDogZXZpbA==?='],
    ['=?base64?eA==?=', '=?base64?PT9iYXNlNjQ/ZUE9PT89?='],
    [null, undefined],
    [undefined, undefined],
    [1.5, undefined],
    [{ c: 1 }, undefined],
  ])('%j becomes %j', (value, header) => {
    expect(paramHeadersFor(declared, { a: { b: value } })['Mcp-Param-B']).toBe(header);
  });
});
