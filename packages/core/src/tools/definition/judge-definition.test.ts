import { readFileSync } from 'node:fs';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import { describe, expect, it } from 'vitest';
import { sampleParams } from '../../testing/grading/sample-params.js';
import { mcpToolName } from '../mcp/mcp-tool.js';
import { definitionSentence, judgeDefinition } from './judge-definition.js';

interface PublicServer {
  source: string;
  tools: { name: string; description?: string; inputSchema: JsonObject; annotations?: JsonObject }[];
}

const servers: PublicServer[] = JSON.parse(
  readFileSync(new URL('fixtures/public-tools.json', import.meta.url), 'utf8'),
);

function told(parameters: JsonObject, description = 'Does something sensible.'): string[] {
  const parameterSchema = { type: 'object', ...parameters };
  return judgeDefinition({ name: 'tool', description, parameterSchema }).map(
    (found) => `${found.level} ${found.check}: ${definitionSentence(found)}`,
  );
}

const text = { type: 'string', description: 'A text.' };

describe('a definition', () => {
  it.each<[string, JsonObject]>([
    ['$schema', { $schema: 'http://json-schema.org/draft-07/schema#', properties: { a: text } }],
    ['a default', { properties: { a: { ...text, default: 'x' } } }],
    ['a list of types', { properties: { a: { ...text, type: ['string', 'null'] } } }],
    ['an odd property name', { properties: { 'a b': text } }],
    ['a reference', { properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: text } }],
    ['a constant and a title', { title: 'T', properties: { a: { ...text, const: 'x' } } }],
  ])('with %s has no fault, and nothing is said', (_name, schema) => {
    expect(told(schema)).toEqual([]);
  });

  it.each<[string, JsonObject, string]>([
    [
      'that is closed',
      { properties: { a: text }, additionalProperties: false },
      'note schema-subset: gemini: additionalProperties: false is dropped.',
    ],
    [
      'with a format',
      { properties: { a: { ...text, format: 'uri' } } },
      'note schema-subset: gemini: parameters.a: format uri is only said in words.',
    ],
    [
      'with a parameter that is not described',
      { properties: { a: { type: 'string' } } },
      'warning schema-description: parameters.a: no description; the model has to guess.',
    ],
    [
      'with a type that does not exist',
      { properties: { a: { ...text, type: 'text' } } },
      'error schema-subset: parameters.a: "type" is "text", which does not exist. Use object, array, string, number, integer, boolean, null.',
    ],
    [
      'that requires what it does not have',
      { properties: {}, required: ['a'] },
      'error schema: parameters.a: required but not among the properties.',
    ],
    [
      'that is no object',
      { type: 'array' },
      'error schema: parameterSchema must have "type": "object" at the top.',
    ],
  ])('%s is told of it', (_name, schema, sentence) => {
    expect(told(schema)).toContain(sentence);
  });

  it('that no provider takes is a fault', () => {
    expect(told({ properties: { a: { $ref: '#/$defs/nowhere' } } }).join()).toMatch(/schema-subset/);
  });
});

it('public MCP tools are not graded down for keywords of JSON Schema', () => {
  const grades: Record<string, number> = { A: 0, B: 0, C: 0, F: 0 };
  const rows = servers.map(({ source, tools }) => {
    const own: Record<string, number> = {};
    for (const { name, description = '', inputSchema, annotations } of tools) {
      const server = { declaredAs: mcpToolName('it', name), isAnnotated: annotations !== undefined };
      const found = judgeDefinition({ name, description, parameterSchema: inputSchema, server });
      const graded = found.filter(({ level }) => level !== 'note');
      expect(graded.filter(({ what }) => /\$schema|additionalProperties|default/.test(what))).toEqual([]);
      const errors = graded.filter(({ level }) => level === 'error');
      const worst = errors.some(({ check }) => check !== 'schema-subset') ? 'F' : errors[0] ? 'C' : 'B';
      const grade = graded.length === 0 ? 'A' : worst;
      grades[grade] = (grades[grade] ?? 0) + 1;
      own[grade] = (own[grade] ?? 0) + 1;
    }
    return `${source}: ${JSON.stringify(own)}`;
  });
  console.log(`evidence: definitions of public MCP tools: ${JSON.stringify(grades)}\n${rows.join('\n')}`);
  // The nine say nothing about their arguments, not even that they are an object.
  expect(grades).toMatchObject({ C: 0, F: 9 });
  expect(rows.filter((row) => row.includes('"F"'))).toEqual([expect.stringContaining('server-gitlab')]);
});

it('arguments can be made up for every public MCP tool whose schema is an object', () => {
  const schemas = servers.flatMap(({ tools }) =>
    tools.map(({ name, inputSchema }) => ({ name, inputSchema })),
  );
  const without = schemas.filter(({ inputSchema }) => sampleParams(inputSchema) === null);
  expect(without.map(({ name }) => name)).toEqual([]);
});
