import { describe, expect, it } from 'vitest';
import { readDeclarations } from './declarations.js';

const add = {
  name: 'add',
  description: 'Adds.',
  parameters: { type: 'object', properties: { a: { type: 'number' } } },
};
const read = (value: unknown) => readDeclarations(JSON.stringify(value));
const added = { name: 'add', description: 'Adds.', parameterSchema: add.parameters };

describe('what a discovery command printed', () => {
  it.each<[string, unknown]>([
    ['a list', [add]],
    ['an object with functionDeclarations', { functionDeclarations: [add] }],
    ['an object with function_declarations', { function_declarations: [add] }],
    ['a list of such objects', [{ function_declarations: [add] }, { functionDeclarations: [] }]],
    ['parametersJsonSchema', [{ ...add, parameters: undefined, parametersJsonSchema: add.parameters }]],
    [
      'the types of another dialect',
      [{ ...add, parameters: { type: 'OBJECT', properties: { a: { type: 'NUMBER' } } } }],
    ],
  ])('may be %s', (_, value) => {
    expect(read(value)).toEqual({ declarations: [added], problems: [] });
  });

  it('may leave out parameters and description', () => {
    expect(read([{ name: 'ping' }])).toEqual({
      declarations: [
        { name: 'ping', description: 'The tool ping.', parameterSchema: { type: 'object', properties: {} } },
      ],
      problems: [],
    });
  });

  it('keeps the letters of what is not a type', () => {
    const parameters = {
      type: 'OBJECT',
      properties: { type: { type: 'STRING', enum: ['A', 'B'], default: 'A' } },
    };
    expect(read([{ name: 'x', parameters }]).declarations[0]?.parameterSchema).toEqual({
      type: 'object',
      properties: { type: { type: 'string', enum: ['A', 'B'], default: 'A' } },
    });
  });

  it.each<[string, RegExp]>([
    ['', /^it printed nothing; expected a JSON array of function declarations\.$/],
    ['Tools:\n- add', /^it printed something that is not JSON \(Unexpected token.*\): Tools:\n- add$/],
    ['42', /^it printed a number; expected a JSON array of function declarations: 42$/],
    ['null', /^it printed a null;/],
    ['{"tools": []}', /^it printed an object without functionDeclarations; .*: \{"tools":\[\]\}$/],
    ['['.repeat(70) + ']'.repeat(70), /nested more than 64 levels deep/],
  ])('that is %j is refused as a whole', (output, message) => {
    expect(() => readDeclarations(output)).toThrow(message);
  });

  it('loses only what can not be used', () => {
    const items = [
      'text',
      { description: 'nameless' },
      { name: 'has blank' },
      { name: 'typed', parameters: { type: 'string' } },
      {
        name: 'bad-schema',
        parameters: {
          type: 'object',
          properties: { a: { $ref: '#/nowhere' } },
          required: ['a'],
          allOf: [{ $ref: '#/nowhere' }],
        },
      },
      add,
      add,
    ];
    const { declarations, problems } = read(items);
    expect(declarations).toEqual([added]);
    expect(problems).toEqual([
      'tool 1 is not an object: "text"',
      'tool 2 needs a "name" of 1 to 64 characters of A-Z, a-z, 0-9, _ and -: {"description":"nameless"}',
      'tool 3 needs a "name" of 1 to 64 characters of A-Z, a-z, 0-9, _ and -: {"name":"has blank"}',
      'typed: its parameters must have "type": "object", not "string".',
      expect.stringMatching(/^bad-schema: The tool's parameter schema can't be used: /),
      'tool 7 is called add like one before it; the first one is used.',
    ]);
  });
});
