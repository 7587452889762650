import { expect, it } from 'vitest';
import { parseJsonc } from './jsonc.js';
import { type JsonNode, plainValue } from './plain-json.js';

async function parsed(text: string): Promise<JsonNode> {
  const result = await parseJsonc(text);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.root;
}

it('the reader of JSON with comments reads comments, trailing commas, a byte order mark and any line ending', async () => {
  const text = '\uFEFF// first\r\n{\r\n  "a": [1, 2,], /* b */\n  "b": {"c": null, "d": true,},\r}';
  expect(plainValue(await parsed(text))).toEqual({ a: [1, 2], b: { c: null, d: true } });
});

it('the reader knows the place of every key and value', async () => {
  const root = await parsed('{\r\n  "a": "x",\n  "b": [\n    7\n  ]\n}');
  expect(root).toEqual({
    type: 'object',
    at: { line: 1, column: 1 },
    entries: [
      {
        name: 'a',
        at: { line: 2, column: 3 },
        value: { type: 'string', value: 'x', at: { line: 2, column: 8 } },
      },
      {
        name: 'b',
        at: { line: 3, column: 3 },
        value: {
          type: 'array',
          at: { line: 3, column: 8 },
          items: [{ type: 'number', value: 7, at: { line: 4, column: 5 } }],
        },
      },
    ],
  });
});

it.each(['', '  \n', '// nothing yet'])(
  'the reader of JSON with comments takes %j as an empty object',
  async (text) => {
    expect(plainValue(await parsed(text))).toEqual({});
  },
);

it.each([
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3, 'expected ","'],
  ["{'a': 1}", 1, 2, 'this is no value (strings need double quotes)'],
  ['{"a": }', 1, 7, 'expected a value'],
  ['{"a": "x\n}', 1, 7, 'the string is not closed'],
  ['{"a": 1', 1, 8, 'expected "}"'],
  ['{} x', 1, 4, 'this is no value (strings need double quotes)'],
  ['/* x', 1, 1, 'the comment is not closed'],
])('%j is a mistake at %i:%i', async (text, line, column, message) => {
  const result = await parseJsonc(text);
  expect(result.ok ? [] : result.problems).toContainEqual({ at: { line, column }, message });
});

it('the reader of JSON with comments refuses text nested without end before it exhausts the stack', async () => {
  expect(await parseJsonc('['.repeat(200_000))).toEqual({
    ok: false,
    problems: [{ at: { line: 1, column: 51 }, message: 'nested more than 50 levels deep' }],
  });
});

it('the reader of JSON with comments keeps a key named __proto__ as an ordinary key', async () => {
  const value = plainValue(await parsed('{"__proto__": {"polluted": true}}')) as object;
  expect(Object.keys(value)).toEqual(['__proto__']);
  expect('polluted' in value).toBe(false);
});
