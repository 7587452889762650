import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkParams, validate } from './json-schema.js';

const schema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    limit: { type: 'integer' },
    ratio: { type: 'number' },
    deep: { type: 'boolean' },
    names: { type: 'array', items: { type: 'string' } },
    options: { type: 'object', properties: { depth: { type: 'integer' } } },
    mode: { enum: ['fast', 'slow'] },
    maybe: { type: ['string', 'null'] },
  },
  required: ['path'],
};

function check(input: unknown) {
  const checked = checkParams(schema, input);
  return checked.ok ? { params: checked.params, notes: checked.notes } : checked.problem;
}

describe('coercion', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>, string[]]>([
    ['a number in a string', { limit: '5' }, { limit: 5 }, ['limit: string was read as integer']],
    ['a fraction in a string', { ratio: '.5' }, { ratio: 0.5 }, ['ratio: string was read as number']],
    ['a boolean in a string', { deep: 'True' }, { deep: true }, ['deep: string was read as boolean']],
    [
      'an array as JSON text',
      { names: '["a","b"]' },
      { names: ['a', 'b'] },
      ['names: string was read as array'],
    ],
    [
      'one string where a list is wanted',
      { names: 'a' },
      { names: ['a'] },
      ['names: string was read as array'],
    ],
    [
      'an object as JSON text',
      { options: '{"depth":"2"}' },
      { options: { depth: 2 } },
      ['options: string was read as object', 'options.depth: string was read as integer'],
    ],
    ['a number where text is wanted', { path: 7 }, { path: '7' }, ['path: number was read as string']],
    ['null for something optional', { limit: null }, {}, ['limit: null was read as absent']],
    ['null where null is meant', { maybe: null }, { maybe: null }, []],
    ['what fits already', { limit: 5, names: ['a'] }, { limit: 5, names: ['a'] }, []],
  ])('reads %s', (_name, input, expected, notes) => {
    expect(check({ path: 'x', ...input })).toEqual({ params: { path: 'x', ...expected }, notes });
  });

  it('never changes its input', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (input) => {
        const before = JSON.stringify(input);
        checkParams(schema, input);
        expect(JSON.stringify(input)).toBe(before);
      }),
    );
  });

  it('keeps a key called __proto__ as a key', () => {
    const input = JSON.parse('{"path":"x","__proto__":{"polluted":true}}');
    const result = check(input) as { params: Record<string, unknown> };
    expect(Object.keys(result.params)).toEqual(['path', '__proto__']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(Object.getPrototypeOf(result.params)).toBe(Object.prototype);
  });
});

describe('messages name the path, what was expected and what came', () => {
  it.each<[unknown, string]>([
    [{}, 'path: required, but missing.'],
    [{ path: 'x', limit: 'many' }, 'limit: expected integer, got string "many".'],
    [{ path: 'x', limit: 1.5 }, 'limit: expected integer, got number 1.5.'],
    [{ path: 'x', names: ['a', {}] }, 'names[1]: expected string, got object.'],
    [{ path: 'x', options: { depth: [] } }, 'options.depth: expected integer, got array of 0.'],
    [{ path: 'x', mode: 'medium' }, 'mode: expected one of ["fast","slow"], got string "medium".'],
    [{ path: { a: 1 } }, 'path: expected string, got object.'],
    ['text', 'The arguments must be an object, got string "text".'],
    [null, 'The arguments must be an object, got null.'],
    [[1], 'The arguments must be an object, got array of 1.'],
  ])('%j', (input, message) => {
    expect(check(input)).toBe(message);
  });

  it('names unknown parameters where the schema is closed', () => {
    expect(validate({ type: 'object', additionalProperties: false, properties: { a: {} } }, { b: 1 })).toBe(
      'b: not a parameter here.',
    );
  });

  it('refuses arguments that are nested too deeply', () => {
    let nested: unknown = 1;
    for (let depth = 0; depth < 100; depth++) nested = [nested];
    expect(check({ path: 'x', extra: nested })).toMatch(/nested more than 64 levels/);
  });

  it('lists a few problems and counts the rest', () => {
    const names = Array.from({ length: 20 }, () => ({}));
    expect((check({ path: 'x', names }) as string).split('\n').at(-1)).toBe('… and 15 more problems.');
  });
});

describe('any draft of JSON Schema', () => {
  it.each<[string, Record<string, unknown>, unknown, boolean]>([
    [
      'draft-04 boolean exclusiveMinimum',
      { $schema: 'http://json-schema.org/draft-04/schema#', minimum: 1, exclusiveMinimum: true },
      1,
      false,
    ],
    [
      'draft-07 number exclusiveMinimum',
      { $schema: 'http://json-schema.org/draft-07/schema#', exclusiveMinimum: 1 },
      1,
      false,
    ],
    [
      'draft-07 tuple items',
      { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }] },
      [1],
      false,
    ],
    ['2020-12 prefixItems', { prefixItems: [{ type: 'string' }] }, [1], false],
    [
      'a recursive $ref',
      { $defs: { n: { type: 'object', properties: { c: { $ref: '#/$defs/n' } } } }, $ref: '#/$defs/n' },
      { c: { c: 3 } },
      false,
    ],
    ['anyOf', { anyOf: [{ type: 'string' }, { type: 'number' }] }, 3, true],
  ])('is understood: %s', (_name, draft, value, fits) => {
    expect(validate(draft, value) === null).toBe(fits);
  });

  it.each([
    ['a $ref to nowhere', { properties: { a: { $ref: '#/$defs/gone' } } }],
    ['an invalid pattern', { properties: { a: { pattern: '(' } } }],
  ])('%s is a message about the schema, not a crash', (_name, broken) => {
    expect(validate(broken, { a: 'x' })).toMatch(/schema can't be used/);
  });

  it.each<[string, object, string]>([
    ['enum', { enum: ['fast', 'slow'] }, 'a: expected one of ["fast","slow"], got number 3.'],
    ['const', { const: 1 }, 'a: expected 1, got number 3.'],
    ['type', { type: 'string' }, 'a: expected string, got number 3.'],
    ['minimum', { minimum: 5 }, 'a: minimum 5 is not met by number 3.'],
  ])('%s behind references is told like any other', (_name, target, message) => {
    const draft = {
      properties: { a: { $ref: '#/$defs/alias' } },
      $defs: { alias: { $ref: '#/$defs/target' }, target },
    };
    expect(validate(draft, { a: 3 }) ?? '').toBe(message);
  });

  it('what a schema with an address of its own demands is told without a crash', () => {
    const draft = {
      $id: 'https://a.example/one',
      properties: { a: { $ref: 'two' } },
      $defs: { two: { $id: 'https://a.example/two', enum: ['fast'] } },
    };
    expect(validate(draft, { a: 3 })).toBe('a: enum is not met by number 3.');
  });
});

describe('aliases', () => {
  const aliases = { path: ['file_path', 'dir_path'] };

  it('are read as the canonical name and noted', () => {
    expect(checkParams(schema, { file_path: 'x' }, aliases)).toEqual({
      ok: true,
      params: { path: 'x' },
      notes: ['file_path was read as path'],
    });
  });

  it('must agree with the canonical name when both are given', () => {
    expect(checkParams(schema, { path: 'x', dir_path: 'y' }, aliases)).toEqual({
      ok: false,
      problem: 'Both path and dir_path were given, with different values. Send only path.',
    });
  });
});
