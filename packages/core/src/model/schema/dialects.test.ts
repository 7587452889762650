import { readFileSync } from 'node:fs';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { validate } from '@toolwright/machine/base/json-schema/json-schema.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CompiledTool, compileTool, fromWire, toWire } from './compile-tools.js';
import type { Dialect } from './dialects.js';

interface Case {
  name: string;
  schema: JsonObject;
  valid?: JsonObject[];
  setAside?: string;
}

const written = JSON.parse(
  readFileSync(new URL('../fixtures/schemas.json', import.meta.url), 'utf8'),
) as Case[];

function chain(depth: number): JsonObject {
  return depth === 0 ? { type: 'string' } : { type: 'object', properties: { next: chain(depth - 1) } };
}

const doubling = Object.fromEntries(
  Array.from({ length: 20 }, (_, index) => [
    `d${index}`,
    {
      type: 'object',
      properties: { a: { $ref: `#/$defs/d${index + 1}` }, b: { $ref: `#/$defs/d${index + 1}` } },
    },
  ]),
);

const generated: Case[] = [
  {
    name: 'an enum of 3,000 values',
    schema: {
      type: 'object',
      properties: { zone: { type: 'string', enum: Array.from({ length: 3000 }, (_, i) => `zone-${i}`) } },
    },
    valid: [{ zone: 'zone-2999' }],
  },
  {
    name: 'an enum of long values',
    schema: {
      type: 'object',
      properties: { x: { enum: Array.from({ length: 40 }, (_, i) => `${i}${'y'.repeat(1000)}`) } },
    },
    valid: [{ x: `7${'y'.repeat(1000)}` }],
  },
  {
    name: '300 properties',
    schema: {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`p${i}`, { type: 'string' }])),
    },
    valid: [{ p0: 'a', p299: 'b' }],
  },
  {
    name: 'objects 60 levels deep',
    schema: { type: 'object', properties: { a: chain(60) } },
    valid: [{ a: { next: { next: {} } } }],
  },
  {
    name: 'references that double at every level',
    schema: {
      type: 'object',
      properties: { root: { $ref: '#/$defs/d0' } },
      $defs: { ...doubling, d20: { type: 'string' } },
    },
    setAside: 'unfolds to more than',
  },
  {
    name: 'a schema for schemas',
    schema: {
      type: 'object',
      properties: Object.fromEntries(
        ['not', 'if', 'then', 'else', 'items', 'contains', 'additionalProperties'].map((name) => [
          name,
          { $ref: '#' },
        ]),
      ),
    },
    valid: [{ not: { items: {} } }],
  },
  {
    name: 'a description of 20,000 characters',
    schema: { type: 'object', properties: { a: { type: 'string', description: 'long '.repeat(4000) } } },
    valid: [{ a: 'x' }],
  },
  {
    name: 'a schema of half a million characters',
    schema: {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 500 }, (_, i) => [`p${i}`, { type: 'string', description: 'd'.repeat(1000) }]),
      ),
    },
    setAside: 'its schema takes',
  },
];

const cases = [...written, ...generated];
const dialects: Dialect[] = ['openai', 'anthropic', 'gemini'];

/** Keywords that a tool's schema may hold, by the public documentation and the error messages of each provider. */
function problems(schema: JsonObject, dialect: Dialect): string[] {
  const found: string[] = [];
  const complain = (path: string, what: string) => found.push(`${path || 'root'}: ${what}`);
  if (dialect === 'gemini') checkGemini(schema, '', complain);
  else {
    if (schema['type'] !== 'object') complain('', 'type must be object');
    if (!isJsonObject(schema['properties'])) complain('', 'properties must be there');
    for (const word of ['anyOf', 'enum']) if (word in schema) complain('', `${word} at the top`);
    checkJsonSchema(schema, '', { dialect, complain });
  }
  return found;
}

type Complain = (path: string, what: string) => void;

const jsonSchemaWords: Record<string, (value: unknown) => boolean> = {
  type: (value) =>
    [value]
      .flat()
      .every((name) =>
        ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'].includes(String(name)),
      ) &&
    (!Array.isArray(value) || new Set(value).size === value.length),
  description: (value) => typeof value === 'string',
  enum: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    new Set(value.map((v) => JSON.stringify(v))).size === value.length,
  default: () => true,
  format: (value) => typeof value === 'string',
  pattern: (value) => typeof value === 'string' && Boolean(new RegExp(value, 'u')),
  uniqueItems: (value) => value === true,
  required: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string'),
  properties: isJsonObject,
  items: isJsonObject,
  anyOf: (value) => Array.isArray(value) && value.length > 0,
  additionalProperties: (value) => value === false || isJsonObject(value),
  ...Object.fromEntries(
    ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].map((word) => [
      word,
      Number.isFinite,
    ]),
  ),
  ...Object.fromEntries(
    ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'].map((word) => [
      word,
      (value: unknown) => Number.isInteger(value) && Number(value) >= 0,
    ]),
  ),
};

function checkJsonSchema(
  schema: JsonObject,
  path: string,
  rules: { dialect: Dialect; complain: Complain },
): void {
  const { dialect, complain } = rules;
  for (const [word, value] of Object.entries(schema)) {
    if (!jsonSchemaWords[word]) complain(path, `${word} is not taken`);
    else if (!jsonSchemaWords[word](value)) complain(path, `${word} has a bad value`);
  }
  const types = [schema['type']].flat();
  if (types.includes('array') && !isJsonObject(schema['items'])) complain(path, 'an array without items');
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  for (const name of Array.isArray(schema['required']) ? schema['required'] : [])
    if (!Object.hasOwn(properties, String(name))) complain(path, `required ${name} is no property`);
  for (const [name, property] of Object.entries(properties)) {
    if (dialect === 'anthropic' && !/^[a-zA-Z0-9_.-]{1,64}$/.test(name)) complain(path, `the name ${name}`);
    if (name === '') complain(path, 'an empty name');
    checkJsonSchema(property as JsonObject, `${path}.${name}`, rules);
  }
  for (const inner of [
    schema['items'],
    schema['additionalProperties'],
    ...((schema['anyOf'] as unknown[]) ?? []),
  ])
    if (isJsonObject(inner)) checkJsonSchema(inner, `${path}/`, rules);
}

const geminiWords: Record<string, readonly string[]> = {
  STRING: ['format', 'enum'],
  NUMBER: ['format', 'minimum', 'maximum'],
  INTEGER: ['format', 'minimum', 'maximum'],
  BOOLEAN: [],
  ARRAY: ['items', 'minItems', 'maxItems'],
  OBJECT: ['properties', 'required'],
};
const geminiFormats: Record<string, readonly string[]> = {
  STRING: ['enum', 'date-time'],
  NUMBER: ['float', 'double', 'int32', 'int64'],
  INTEGER: ['float', 'double', 'int32', 'int64'],
};

function checkGemini(schema: JsonObject, path: string, complain: Complain): void {
  if ('anyOf' in schema) {
    if (Object.keys(schema).length > 1) complain(path, 'anyOf must stand alone');
    if (path === '') complain(path, 'anyOf at the top');
    for (const branch of schema['anyOf'] as JsonObject[]) checkGemini(branch, `${path}/`, complain);
    return;
  }
  const type = String(schema['type']);
  const words = geminiWords[type];
  if (!words) {
    complain(path, `type ${type}`);
    return;
  }
  for (const word of Object.keys(schema))
    if (!['type', 'description', 'nullable', ...words].includes(word)) complain(path, `${word} on ${type}`);
  if ('format' in schema && !geminiFormats[type]?.includes(String(schema['format'])))
    complain(path, `format ${schema['format']}`);
  const values = schema['enum'];
  if (
    Array.isArray(values) &&
    (values.length === 0 || values.some((value) => typeof value !== 'string' || value === ''))
  )
    complain(path, 'enum of more than text');
  if (type === 'ARRAY') {
    if (isJsonObject(schema['items'])) checkGemini(schema['items'], `${path}[]`, complain);
    else complain(path, 'an array without items');
  }
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  if ('properties' in schema && Object.keys(properties).length === 0) complain(path, 'empty properties');
  for (const name of Array.isArray(schema['required']) ? schema['required'] : [])
    if (!Object.hasOwn(properties, String(name))) complain(path, `required ${name} is no property`);
  for (const [name, property] of Object.entries(properties)) {
    if (!/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/.test(name)) complain(path, `the name ${name}`);
    checkGemini(property as JsonObject, `${path}.${name}`, complain);
  }
}

/** A Gemini schema as JSON Schema, to try values against it. */
function widened(schema: JsonObject): JsonObject {
  if (Array.isArray(schema['anyOf'])) return { anyOf: (schema['anyOf'] as JsonObject[]).map(widened) };
  const { type, nullable, format, items, properties, ...rest } = schema;
  const name = String(type).toLowerCase();
  return {
    ...rest,
    type: nullable ? [name, 'null'] : name,
    ...(isJsonObject(items) ? { items: widened(items) } : {}),
    ...(isJsonObject(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([key, value]) => [key, widened(value as JsonObject)]),
          ),
        }
      : {}),
    ...(nullable && Array.isArray(rest['enum']) ? { enum: [...rest['enum'], null] } : {}),
  };
}

function accepts(tool: CompiledTool, dialect: Dialect, value: JsonObject): string | null {
  if (tool.schema === null) return null;
  const wire = tool.renames ? toWire(tool.renames, value) : value;
  return validate(dialect === 'gemini' ? widened(tool.schema) : tool.schema, wire);
}

describe.each(dialects)('the %s dialect', (dialect) => {
  it.each(cases)('takes $name', ({ name, schema, valid = [], setAside }) => {
    const compiled = compileTool(
      { name: 'server__tool', description: name, parametersJsonSchema: schema },
      dialect,
    );
    if (setAside !== undefined) {
      expect(compiled).toMatchObject({
        setAside: { name: 'server__tool', server: 'server', reason: expect.stringContaining(setAside) },
      });
      return;
    }
    const { tool } = compiled as { tool: CompiledTool };
    expect(tool).toBeDefined();
    expect(tool.schema === null ? [] : problems(tool.schema, dialect)).toEqual([]);
    for (const value of valid) {
      expect(validate(schema, value), `the original on ${JSON.stringify(value)}`).toBeNull();
      expect(
        accepts(tool, dialect, value),
        `${JSON.stringify(tool.schema)} on ${JSON.stringify(value)}`,
      ).toBeNull();
      if (tool.renames) expect(fromWire(tool.renames, toWire(tool.renames, value))).toEqual(value);
    }
  });
});

const word = fc.constantFrom('a', 'b', 'a b', '$ref', 'type', 'ü', '');
const scalar = fc.oneof(fc.string({ maxLength: 4 }), fc.integer(), fc.boolean(), fc.constant(null));
const { schema: anySchema } = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.boolean(),
    fc.record(
      {
        type: fc.constantFrom(
          'string',
          'number',
          'integer',
          'boolean',
          'object',
          'array',
          'null',
          ['string', 'null'],
          'any',
          7,
        ),
        description: fc.string({ maxLength: 5 }),
        enum: fc.array(scalar, { maxLength: 3 }),
        const: scalar,
        minimum: fc.oneof(fc.integer(), fc.constant('1')),
        exclusiveMinimum: fc.oneof(fc.boolean(), fc.integer()),
        pattern: fc.constantFrom('^a$', '([', '(?=b)'),
        format: fc.constantFrom('uri', 'date-time', 'int32'),
        properties: fc.dictionary(word, tie('schema'), { maxKeys: 3 }),
        required: fc.array(word, { maxLength: 2 }),
        additionalProperties: tie('schema'),
        items: fc.oneof(tie('schema'), fc.array(tie('schema'), { maxLength: 2 })),
        anyOf: fc.array(tie('schema'), { maxLength: 3 }),
        allOf: fc.array(tie('schema'), { maxLength: 2 }),
        if: tie('schema'),
        else: tie('schema'),
        not: tie('schema'),
        $ref: fc.constantFrom('#', '#/properties/a', '#/nowhere'),
      },
      { requiredKeys: [] },
    ),
  ),
}));

const parameters = fc.oneof(
  anySchema,
  fc.record({
    type: fc.constant('object'),
    properties: fc.dictionary(word, anySchema, { minKeys: 1, maxKeys: 3 }),
  }),
);

it.each(dialects)('whatever the schema, %s gets something it takes or the tool is set aside', (dialect) => {
  fc.assert(
    fc.property(parameters, (schema) => {
      const compiled = compileTool({ name: 't', parametersJsonSchema: schema }, dialect);
      if ('setAside' in compiled)
        return compiled.setAside.reason !== '' && !compiled.setAside.reason.includes('undefined');
      expect(compiled.tool.schema === null ? [] : problems(compiled.tool.schema, dialect)).toEqual([]);
      return true;
    }),
    { numRuns: 300 },
  );
});

it('the comparison of dialects prints how many schemas and values were tried', () => {
  const values = cases.reduce((sum, { valid = [] }) => sum + valid.length, 0);
  console.log(
    `schemas: ${cases.length} x ${dialects.length} dialects compiled and checked; ${values} values x ${dialects.length} accepted`,
  );
  expect(cases.length).toBeGreaterThanOrEqual(60);
});
