import type { JsonObject } from '@toolwright/machine/base/json.js';
import { describe, expect, it } from 'vitest';
import { type CompiledTool, compileTool, createToolCompiler, describeSetAside } from './compile-tools.js';
import type { Dialect } from './dialects.js';

function compiled(schema: JsonObject, dialect: Dialect): CompiledTool {
  const result = compileTool({ name: 't', description: 'd', parametersJsonSchema: schema }, dialect);
  if ('setAside' in result) throw new Error(result.setAside.reason);
  return result.tool;
}

const choice: JsonObject = {
  oneOf: [
    {
      type: 'object',
      properties: { kind: { const: 'file' }, path: { type: 'string' } },
      required: ['kind', 'path'],
    },
    {
      type: 'object',
      properties: { kind: { const: 'url' }, url: { type: 'string' } },
      required: ['kind', 'url'],
    },
  ],
};

describe('a choice at the top', () => {
  it('becomes one object that says the rule in words', () => {
    expect(compiled(choice, 'anthropic')).toMatchObject({
      schema: {
        type: 'object',
        description: '(give one of these: kind = "file" with path; or kind = "url" with url)',
        properties: {
          kind: { type: 'string', enum: ['file', 'url'] },
          path: { type: 'string' },
          url: { type: 'string' },
        },
        required: ['kind'],
      },
      losses: [
        { path: 'parameters', what: 'the choice between forms is merged into one and described in text' },
      ],
    });
  });

  it('of required sets only becomes words', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
    };
    expect(compiled(schema, 'openai').schema).toEqual({
      description: '(give at least one of these: a; b)',
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
    });
  });
});

describe('the schema for Gemini', () => {
  const gemini = (property: JsonObject) => {
    const { schema, losses } = compiled({ type: 'object', properties: { p: property } }, 'gemini');
    const properties = schema?.['properties'] as JsonObject;
    return { p: properties['p'], losses: losses.map(({ what }) => what) };
  };

  it.each<[string, JsonObject, JsonObject, string[]]>([
    ['a nullable type', { type: ['string', 'null'] }, { type: 'STRING', nullable: true }, []],
    [
      'a choice with null',
      { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      { type: 'INTEGER', nullable: true },
      [],
    ],
    [
      'exclusive limits of an integer',
      { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 10 },
      { type: 'INTEGER', minimum: 1, maximum: 9 },
      [],
    ],
    [
      'an exclusive limit of a number',
      { type: 'number', exclusiveMinimum: 0 },
      { type: 'NUMBER', minimum: 0, description: '(more than 0)' },
      ['exclusiveMinimum is sent as minimum and described in text'],
    ],
    [
      'a format it knows',
      { type: 'string', format: 'date-time' },
      { type: 'STRING', format: 'date-time' },
      [],
    ],
    [
      'a format it does not know',
      { type: 'string', format: 'uri' },
      { type: 'STRING', description: '(format uri)' },
      ['format uri is described in text only'],
    ],
    ['a list of texts', { enum: ['a', 'b'] }, { type: 'STRING', enum: ['a', 'b'], format: 'enum' }, []],
    [
      'a list of numbers',
      { enum: [1, 2] },
      { type: 'INTEGER', description: '(one of 1, 2)' },
      ['only text can be limited to a list of values; the list is described in text'],
    ],
    ['properties on a text', { type: 'string', properties: {}, required: [] }, { type: 'STRING' }, []],
    [
      'a default',
      { type: 'boolean', default: true, description: 'Do it.' },
      { type: 'BOOLEAN', description: 'Do it. (default true)' },
      [],
    ],
    [
      'two types',
      { type: ['string', 'integer'], description: 'Id.' },
      {
        anyOf: [
          { type: 'STRING', description: 'Id.' },
          { type: 'INTEGER', description: 'Id.' },
        ],
      },
      [],
    ],
    [
      'a free object',
      { type: 'object', additionalProperties: false },
      { type: 'OBJECT' },
      ['additionalProperties: false is dropped'],
    ],
  ])('has a form for %s', (_, property, expected, losses) => {
    expect(gemini(property)).toEqual({ p: expected, losses });
  });

  it('is no schema at all for a tool without parameters', () => {
    expect(compiled({ type: 'object', properties: {} }, 'gemini').schema).toBeNull();
  });
});

it('the compiler of schemas keeps a pattern for Anthropic, and for OpenAI only where constrained decoding can follow it', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'string', pattern: '^[a-z]+$' }, b: { type: 'string', pattern: '(?=x)y' } },
  };
  expect(compiled(schema, 'anthropic').schema?.['properties']).toEqual(schema.properties);
  expect(compiled(schema, 'openai').schema?.['properties']).toEqual({
    a: { type: 'string', pattern: '^[a-z]+$' },
    b: { type: 'string', description: '(matches (?=x)y)' },
  });
});

it.each(['openai', 'anthropic'] as const)(
  'the compiler of schemas leaves out for %s what means nothing for a type',
  (dialect) => {
    const properties = {
      a: { type: 'string', minimum: 3, minItems: 1, maxLength: 5, properties: { x: {} }, required: ['x'] },
      b: {
        type: 'array',
        items: { type: 'integer', maxLength: 2, maximum: 9 },
        uniqueItems: true,
        minLength: 1,
      },
      c: { type: 'boolean', uniqueItems: true, maximum: 1 },
    };
    expect(compiled({ type: 'object', properties }, dialect).schema?.['properties']).toEqual({
      a: { type: 'string', maxLength: 5 },
      b: { type: 'array', items: { type: 'integer', maximum: 9 }, uniqueItems: true },
      c: { type: 'boolean' },
    });
  },
);

it('the compiler of schemas shows a schema that contains itself three levels deep and says so', () => {
  const { schema, losses } = compiled(
    {
      type: 'object',
      properties: { n: { $ref: '#/$defs/N' } },
      $defs: { N: { type: 'object', properties: { n: { $ref: '#/$defs/N' } } } },
    },
    'anthropic',
  );
  const level = (inner: JsonObject): JsonObject => ({ type: 'object', properties: { n: inner } });
  expect(schema).toEqual(
    level(level(level(level({ type: 'object', description: '(nested further in the same way (N))' })))),
  );
  expect(losses).toEqual([{ path: 'n.n.n.n', what: '#/$defs/N contains itself; it is shown 3 levels deep' }]);
});

describe('the compiled tools of a request', () => {
  const odd = {
    name: 'odata__query',
    description: 'd',
    parametersJsonSchema: {
      type: 'object',
      properties: {
        $filter: { type: 'string' },
        rows: { type: 'array', items: { type: 'object', properties: { 'a b': { type: 'string' } } } },
      },
      required: ['$filter'],
    },
  };

  it('gives odd property names a form the provider takes, and takes it back from the call', () => {
    const compiled = createToolCompiler('anthropic')([odd]);
    const [tool] = compiled.tools;
    const names = Object.keys(tool?.schema?.['properties'] as JsonObject);
    expect(names).toEqual([expect.stringMatching(/^_filter_[0-9a-v]{6}$/), 'rows']);
    const own = { $filter: 'x', rows: [{ 'a b': '1' }] };
    const wire = compiled.wireArguments('odata__query', own);
    expect(JSON.stringify(wire)).not.toMatch(/\$|a b/);
    expect(compiled.restore({ name: 'odata__query', arguments: wire })).toEqual({
      name: 'odata__query',
      arguments: own,
    });
  });

  it('gives an odd tool name a form every provider takes, and takes it back', () => {
    const compiled = createToolCompiler('openai')([{ name: 'my tool.v2' }, { name: 'plain' }]);
    const [odd] = compiled.tools;
    expect(odd?.wireName).toMatch(/^my_tool_v2_[0-9a-v]{6}$/);
    expect(compiled.restore({ name: odd?.wireName ?? '', arguments: {} }).name).toBe('my tool.v2');
    expect(compiled.restore({ name: 'unknown', arguments: '{' })).toEqual({
      name: 'unknown',
      arguments: '{',
    });
  });

  it('sets aside what it can not express, by name and server, and keeps the rest', () => {
    const compiled = createToolCompiler('gemini')([
      { name: 'files__list', parametersJsonSchema: { type: 'array' } },
      { name: 'read_file', parametersJsonSchema: { type: 'object' } },
      { name: 'x', parametersJsonSchema: 'nonsense' },
      { parametersJsonSchema: {} },
    ]);
    expect(compiled.tools.map(({ name }) => name)).toEqual(['read_file']);
    expect(compiled.setAside.map(describeSetAside)).toEqual([
      'The tool files__list of the server files is not offered to this model: its parameters are of type array, not an object.',
      'The tool x is not offered to this model: its parameters are not described by an object.',
      'The tool (without a name) is not offered to this model: it has no name.',
    ]);
  });

  it('is the same object for the same tools, and compiles again only what changed', () => {
    const compile = createToolCompiler('openai');
    const first = compile([odd]);
    expect(compile([{ ...odd }])).toBe(first);
    const second = compile([{ ...odd, description: 'other' }]);
    expect(second).not.toBe(first);
    expect(second.tools[0]?.description).toBe('other');
  });
});
