import { expect, it } from 'vitest';
import { paramHeaderProblem } from './param-headers.js';

const schema = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
    query: { type: 'string' },
  },
};
const wrapped = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;

it.each<[string, object, Record<string, string>, string | null]>([
  ['the same value', { region: 'eu' }, { 'Mcp-Param-Region': 'eu' }, null],
  ['a name in other letters', { region: 'eu' }, { 'mcp-param-region': 'eu' }, null],
  ['the same value, wrapped', { region: 'eu' }, { 'Mcp-Param-Region': wrapped('eu') }, null],
  ['a value that has to be wrapped', { region: 'Zürich' }, { 'Mcp-Param-Region': wrapped('Zürich') }, null],
  ['a number', { count: 7 }, { 'Mcp-Param-Count': '7' }, null],
  ['no such argument', { query: 'x' }, {}, null],
  ['no such argument, and a header', { query: 'x' }, { 'Mcp-Param-Region': 'eu' }, null],
  ['no header', { region: 'eu' }, {}, 'missing'],
  ['another value', { region: 'eu' }, { 'Mcp-Param-Region': 'us' }, 'differs'],
  ['another value, wrapped', { region: 'eu' }, { 'Mcp-Param-Region': wrapped('us') }, 'differs'],
  ['wrong padding', { region: 'eu' }, { 'Mcp-Param-Region': '=?base64?ZXU?=' }, 'not valid'],
  ['no Base64', { region: 'eu' }, { 'Mcp-Param-Region': '=?base64?!!!!?=' }, 'not valid'],
  ['no UTF-8', { region: 'eu' }, { 'Mcp-Param-Region': '=?base64?/w==?=' }, 'not valid'],
  ['half of a wrapping', { region: 'eu' }, { 'Mcp-Param-Region': '=?base64?ZXU=' }, 'differs'],
])('a call with %s is judged by its arguments', (_name, args, headers, problem) => {
  const found = paramHeaderProblem(schema, { ...args }, new Headers(headers));
  if (problem === null) expect(found).toBeNull();
  else expect(found).toContain(problem);
});

it('a schema whose declarations are wrong asks for no headers', () => {
  const wrong = { type: 'object', properties: { list: { type: 'array', 'x-mcp-header': 'List' } } };
  expect(paramHeaderProblem(wrong, { list: ['x'] }, new Headers())).toBeNull();
});
