import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readParameters } from './parameters.js';

describe('the parameters of a tool', () => {
  it('may be JSON Schema, which is taken as it is', () => {
    const schema = { type: 'object', properties: { text: { type: 'string' } } };
    expect(readParameters(schema)).toEqual({ jsonSchema: schema, parse: null });
  });

  it('may be a schema of zod, which prints itself and makes the arguments', async () => {
    const { jsonSchema, parse } = readParameters(
      z.object({ text: z.string().min(2), times: z.number().default(3) }),
    );
    expect(jsonSchema).toEqual({
      type: 'object',
      properties: { text: { type: 'string', minLength: 2 }, times: { type: 'number', default: 3 } },
      required: ['text'],
    });
    expect(await parse?.({ text: 'ab' })).toEqual({ ok: true, args: { text: 'ab', times: 3 } });
    const refused = await parse?.({ text: 'a' });
    expect(refused).toMatchObject({ ok: false, problem: expect.stringMatching(/^text: /) });
  });

  it('may come from any library that follows the standard, even if it checks asynchronously', async () => {
    const schema = {
      '~standard': {
        version: 1 as const,
        vendor: 'mine',
        jsonSchema: { input: () => ({ type: 'object' }) },
        validate: async (value: unknown) => ({ value }),
      },
    };
    const { jsonSchema, parse } = readParameters(schema);
    expect(jsonSchema).toEqual({ type: 'object' });
    expect(await parse?.({ a: 1 })).toEqual({ ok: true, args: { a: 1 } });
  });

  it.each([
    ['nothing', undefined, /must be a JSON Schema object, or a schema of zod 4/],
    [
      'a schema of zod 3',
      { _def: {}, parse: () => null },
      /must be a JSON Schema object, or a schema of zod 4/,
    ],
    ['text at the top', { type: 'string' }, /must have type: 'object', because arguments have names/],
    ['a text of zod', z.string(), /must have type: 'object', because arguments have names/],
    ['a date of zod', z.object({ at: z.date() }), /can't be printed as JSON Schema by zod: /],
    [
      'a library that can not print JSON Schema',
      { '~standard': { version: 1, vendor: 'valid', validate: () => ({ value: 1 }) } },
      /a schema of valid that can't print itself/,
    ],
  ])('are refused at once when they are %s', (_name, parameters, message) => {
    expect(() => readParameters(parameters)).toThrow(TypeError);
    expect(() => readParameters(parameters)).toThrow(message);
  });
});
