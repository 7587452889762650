import { readFileSync } from 'node:fs';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileTool } from './compile-tools.js';
import { plainSchema } from './plain-schema.js';

const anyName = /^.{1,256}$/su;
const written = JSON.parse(readFileSync(new URL('../fixtures/schemas.json', import.meta.url), 'utf8')) as {
  schema: JsonObject;
}[];

/** A word that means nothing keeps a schema from being taken as plain, and changes nothing else. */
function bothWays(schema: JsonObject, dialect: 'openai' | 'anthropic'): [string, string] {
  const compiled = (parameters: JsonObject) =>
    JSON.stringify(compileTool({ name: 'tool', parametersJsonSchema: parameters }, dialect));
  return [compiled(schema), compiled({ ...schema, 'x-nothing': true })];
}

it('the quick way for everyday schemas puts an everyday schema in order and leaves the rest as it is', () => {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    additionalProperties: false,
    properties: {
      lines: { default: 10, maximum: 100, minimum: 1, title: 'How many lines', type: 'integer' },
      names: { items: { enum: ['a', 'b'], type: 'string' }, type: 'array' },
    },
    required: ['names'],
    type: 'object',
  };
  expect(JSON.stringify(plainSchema(schema, anyName))).toBe(
    JSON.stringify({
      type: 'object',
      properties: {
        lines: { description: 'How many lines', type: 'integer', minimum: 1, maximum: 100, default: 10 },
        names: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
      },
      required: ['names'],
      additionalProperties: false,
    }),
  );
});

it.each<[string, JsonObject]>([
  ['a reference', { properties: { a: { $ref: '#/properties/b' }, b: { type: 'string' } } }],
  ['a choice', { properties: { a: { anyOf: [{ type: 'string' }, { type: 'number' }] } } }],
  ['a value that may be null', { properties: { a: { type: ['string', 'null'] } } }],
  ['a type by another name', { properties: { a: { type: 'str' } } }],
  ['a limit of another type', { properties: { a: { type: 'string', minimum: 1 } } }],
  ['a limit that is no number', { properties: { a: { type: 'string', minLength: '1' } } }],
  ['a pattern', { properties: { a: { type: 'string', pattern: '^a$' } } }],
  ['a required name without a property', { properties: {}, required: ['a'] }],
  ['a property that says it is required', { properties: { a: { type: 'string', required: true } } }],
  ['a name that is too long', { properties: { ['a'.repeat(257)]: { type: 'string' } } }],
  ['a name that objects have by themselves', { properties: JSON.parse('{"__proto__":{"type":"string"}}') }],
  ['further properties of some form', { properties: {}, additionalProperties: { type: 'string' } }],
])('the quick way for everyday schemas leaves %s to be read and written anew', (_what, schema) => {
  expect(plainSchema({ type: 'object', ...schema }, anyName)).toBeNull();
});

it('the quick way for everyday schemas gives the same bytes as reading and writing anew, for all written schemas', () => {
  for (const { schema } of written) {
    for (const dialect of ['openai', 'anthropic'] as const) {
      const [one, other] = bothWays(schema, dialect);
      expect(one).toBe(other);
    }
  }
});

const rarely = <Value>(usual: fc.Arbitrary<Value>, odd: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 30, arbitrary: usual }, { weight: 1, arbitrary: odd });
const text = fc.constantFrom('A text.', 'Another.', ' ', '');
const annotations = {
  description: text,
  title: text,
  default: fc.constantFrom<unknown>('a', 1, null, [], {}),
};
const limits = (...words: string[]) =>
  Object.fromEntries(
    words.map((word) => [
      word,
      rarely<unknown>(fc.constantFrom(0, 1, 2.5), fc.constantFrom('3', true, null)),
    ]),
  );
const optional = (type: string, model: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record({ ...annotations, ...model, type: fc.constant(type) }, { requiredKeys: ['type'] });
const name = rarely(
  fc.constantFrom('a', 'b', '7', 'constructor'),
  fc.constantFrom('b c', '', 'ä'.repeat(70)),
);
const values = fc.uniqueArray(rarely<unknown>(fc.constantFrom('x', 'y'), fc.constantFrom(1, null)), {
  maxLength: 3,
});

const schemas = fc.letrec<{ any: unknown; object: JsonObject }>((tie) => ({
  object: fc.dictionary(name, tie('any'), { maxKeys: 3 }).chain((properties) =>
    optional('object', {
      properties: fc.constant(properties),
      required: rarely(fc.subarray(Object.keys(properties)), fc.array(name, { maxLength: 3 })),
      additionalProperties: rarely<unknown>(fc.boolean(), fc.constant({})),
      'x-odd': rarely<unknown>(fc.constant(undefined), fc.constant(1)),
    }),
  ) as fc.Arbitrary<JsonObject>,
  any: rarely<unknown>(
    fc.oneof(
      { maxDepth: 3 },
      optional('string', { ...limits('minLength', 'maxLength'), format: fc.constant('date') }),
      optional('string', { enum: values }),
      optional('integer', limits('minimum', 'exclusiveMaximum', 'multipleOf')),
      optional('array', { items: tie('any'), ...limits('minItems') }),
      tie('object'),
    ),
    fc.constantFrom<unknown>(
      {},
      true,
      { type: 'null' },
      { type: 'array' },
      { type: 'number', nullable: true },
    ),
  ),
}));

it('the quick way for everyday schemas gives the same bytes as reading and writing anew, for random schemas', () => {
  const runs = 1_000;
  let plain = 0;
  fc.assert(
    fc.property(
      schemas.object,
      fc.constantFrom('openai' as const, 'anthropic' as const),
      (schema, dialect) => {
        const [one, other] = bothWays(schema, dialect);
        expect(one).toBe(other);
        if (plainSchema(schema, anyName)) plain++;
      },
    ),
    { numRuns: runs },
  );
  expect(plain).toBeGreaterThan(runs / 20);
  expect(plain).toBeLessThan(runs);
});
