import type { JsonObject } from '@toolwright/machine/base/json.js';
import { validate } from '@toolwright/machine/base/json-schema/json-schema.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleParams } from './sample-params.js';

const one = (schema: JsonObject): JsonObject => ({
  type: 'object',
  properties: { a: schema },
  required: ['a'],
});

describe('params made from a schema', () => {
  it.each<[JsonObject, unknown]>([
    [{ type: 'string', minLength: 3 }, 'xxx'],
    [{ type: 'string', pattern: '^[A-Z]{2,3}-\\d+$' }, 'ZZ-0'],
    [{ type: 'string', pattern: '^[a-f0-9]{40}$' }, 'a'.repeat(40)],
    [{ type: 'string', pattern: '^(?:main|dev)/[^/]+$', minLength: 8 }, 'main/aaa'],
    [{ type: 'string', pattern: '^https?://', format: 'uri' }, 'https://example.com/'],
    [{ type: 'string', format: 'date-time' }, '2026-01-02T03:04:05Z'],
    [{ type: 'string', format: 'email' }, 'someone@example.com'],
    [{ type: 'integer', minimum: 5 }, 5],
    [{ type: 'integer', exclusiveMaximum: -3 }, -4],
    [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5],
    [{ type: 'integer', minimum: 10, multipleOf: 7 }, 14],
    [{ enum: ['x', 'y'] }, 'x'],
    [{ const: 3 }, 3],
    [{ type: 'integer', minimum: 5, default: 1, examples: [2, 9] }, 9],
    [{ type: 'array', items: { type: 'boolean' }, minItems: 2 }, [true, true]],
    [{ type: 'array', items: { type: 'string' }, minItems: 2, uniqueItems: true }, ['x', 'x1']],
    [{ anyOf: [{ type: 'null' }, { type: 'string' }] }, null],
    [{ allOf: [{ type: 'object', required: ['b'] }, { properties: { b: { type: 'number' } } }] }, { b: 0 }],
  ])('%j fit it', (schema, value) => {
    expect(sampleParams(one(schema))).toEqual({ a: value });
  });

  it('follow references', () => {
    const schema = { ...one({ $ref: '#/$defs/day' }), $defs: { day: { type: 'string', format: 'date' } } };
    expect(sampleParams(schema)).toEqual({ a: '2026-01-02' });
  });

  it.each<[string, JsonObject]>([
    ['a pattern that looks behind', { type: 'string', pattern: '(?<=x)y(?!z)\\1' }],
    ['limits that exclude each other', { type: 'integer', minimum: 5, maximum: 4 }],
    ['nothing allowed', { not: {} }],
  ])('are not made up for %s', (_name, schema) => {
    expect(sampleParams(one(schema))).toBeNull();
  });

  it('validate against their schema, whatever it is', () => {
    let made = 0;
    fc.assert(
      fc.property(schemas, (schema) => {
        const sample = sampleParams(one(schema));
        if (sample === null) return;
        made += 1;
        expect(validate(one(schema), sample)).toBeNull();
      }),
      { numRuns: 300 },
    );
    expect(made).toBeGreaterThan(200);
  });
});

const character = fc.constantFrom('a', '\\d', '\\w', '[a-z]', '[^/]', '\\.', '-', '(?:x|y)', '(ab)');
const repeated = fc.constantFrom('', '+', '*', '?', '{2}', '{1,3}', '{2,}');
const pattern = fc
  .array(fc.tuple(character, repeated), { minLength: 1, maxLength: 6 })
  .map((items) => `^${items.map((item) => item.join('')).join('')}$`);
const small = fc.integer({ min: -20, max: 20 });

const schemas: fc.Arbitrary<JsonObject> = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.record({ type: fc.constant('string'), pattern }),
    fc.record({ type: fc.constant('string'), minLength: fc.nat(9) }),
    fc.record({
      type: fc.constant('string'),
      format: fc.constantFrom('date', 'uri', 'uuid', 'email', 'ipv4'),
    }),
    fc.record({
      type: fc.constantFrom('integer', 'number'),
      minimum: small,
      multipleOf: fc.integer({ min: 1, max: 9 }),
    }),
    fc.record({ type: fc.constantFrom('integer', 'number'), exclusiveMaximum: small }),
    fc.record({ enum: fc.array(fc.oneof(small, fc.string()), { minLength: 1 }), default: fc.string() }),
    fc.record({ type: fc.constant('array'), items: tie('schema'), minItems: fc.nat(3) }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    tie('schema').map((inner) => ({ type: 'object', properties: { b: inner }, required: ['b'] })),
  ),
})).schema;
