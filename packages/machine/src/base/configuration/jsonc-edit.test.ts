import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject } from '../json.js';
import { parseJsonc } from './jsonc.js';
import { editJsonc } from './jsonc-edit.js';
import { plainValue } from './plain-json.js';

const cases: [string, string, string[], unknown, string][] = [
  ['fills an empty text', '', ['a'], 1, '{\n  "a": 1\n}\n'],
  ['starts after comments', '// mine\n', ['a'], 1, '// mine\n{\n  "a": 1\n}\n'],
  ['keeps a comment in an empty object', '{ // none\n}', ['a'], 1, '{ // none\n  "a": 1\n}'],
  ['makes the objects on the way', '{}', ['a', 'b'], [1], '{\n  "a": {\n    "b": [\n      1\n    ]\n  }\n}'],
  [
    'replaces a value in its place',
    '{"a": /* x */ 1 /* y */, "b": 2}',
    ['a'],
    3,
    '{"a": /* x */ 3 /* y */, "b": 2}',
  ],
  [
    'adds to an object of one line',
    '{"a": {"b": 1}}',
    ['a', 'c'],
    { d: 1, e: [] },
    '{"a": {"b": 1, "c": {"d": 1, "e": []}}}',
  ],
  [
    'adds after the comment of the last line',
    '{\n  "a": 1 // first\n}\n',
    ['b'],
    2,
    '{\n  "a": 1, // first\n  "b": 2\n}\n',
  ],
  [
    'keeps the habit of a trailing comma',
    '{\n  "a": 1, // first\n}\n',
    ['b'],
    2,
    '{\n  "a": 1, // first\n  "b": 2,\n}\n',
  ],
  [
    'is not led astray by a break in a comment',
    '{\n  "a": 1 /* x\n y */\n}',
    ['b'],
    2,
    '{\n  "a": 1, /* x\n y */\n  "b": 2\n}',
  ],
  [
    'takes over tabs and line endings',
    '{\r\n\t"a": 1\r\n}',
    ['b'],
    { c: 1 },
    '{\r\n\t"a": 1,\r\n\t"b": {\r\n\t\t"c": 1\r\n\t}\r\n}',
  ],
  ['removes a line', '{\n  "a": 1,\n  "b": 2\n}', ['a'], undefined, '{\n  "b": 2\n}'],
  [
    'removes the last line with the comma before it',
    '{\n  "a": 1, // x\n  "b": 2\n}',
    ['b'],
    undefined,
    '{\n  "a": 1 // x\n}',
  ],
  [
    'removes the last line and keeps a trailing comma',
    '{\n  "a": 1,\n  "b": 2,\n}',
    ['b'],
    undefined,
    '{\n  "a": 1,\n}',
  ],
  ['removes the only one', '{"a": 1}', ['a'], undefined, '{}'],
  ['removes inside a line', '{"a": 1, "b": 2, "c": 3}', ['b'], undefined, '{"a": 1, "c": 3}'],
  [
    'keeps comments around what it removes',
    '{\n  // over\n  "a": 1, // beside\n  // under\n  "b": 2\n}',
    ['a'],
    undefined,
    '{\n  // over\n  // beside\n  // under\n  "b": 2\n}',
  ],
  ['keeps a comment before the comma', '{"a": 1 /* x */, "b": 2}', ['a'], undefined, '{ /* x */"b": 2}'],
  ['removes nothing where nothing is', '{"a": {}}', ['a', 'b'], undefined, '{"a": {}}'],
];

describe('editing JSON with comments', () => {
  it.each(cases)('%s', async (_name, before, path, value, after) => {
    expect(await editJsonc(before, path, value)).toBe(after);
  });

  it('refuses to go through what is not an object', async () => {
    await expect(editJsonc('{"a": [1]}', ['a', 'b'], 1)).rejects.toThrow('a is not an object.');
  });
});

const name = fc.constantFrom('a', 'b', 'c', 'd', '"', 'é');
const leaf = fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.array(fc.boolean(), { maxLength: 2 }));
const tree = fc.dictionary(name, fc.oneof(leaf, fc.dictionary(name, leaf, { maxKeys: 3 })), { maxKeys: 4 });

/** The same data with comments, odd layout and trailing commas strewn in. */
function disturbed(value: unknown, next: () => number): string {
  const trivia = () => ['', ' ', '\n', '\r\n  ', ' /* c */ ', ' // l, }\n', '\n\t'][next() % 7] as string;
  if (Array.isArray(value))
    return `[${value.map((item) => trivia() + disturbed(item, next) + trivia()).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([key, item]) =>
      `${trivia()}${JSON.stringify(key)}${trivia()}:${trivia()}${disturbed(item, next)}${trivia()}`,
  );
  const trailing = entries.length > 0 && next() % 3 === 0 ? `,${trivia()}` : '';
  return `{${entries.join(',')}${trailing}${trivia()}}`;
}

const commentsIn = (text: string) => (text.match(/\/\* c \*\/|\/\/ l, \}/g) ?? []).length;

async function read(text: string): Promise<unknown> {
  const parsed = await parseJsonc(text);
  if (!parsed.ok) throw new Error(`${JSON.stringify(parsed.problems)} in ${text}`);
  return plainValue(parsed.root);
}

it('an edit changes exactly one value, whatever the text looks like, and drops no comment outside it', async () => {
  const property = fc.asyncProperty(
    tree,
    fc.array(fc.nat(1000), { minLength: 1, maxLength: 30 }),
    fc.array(name, { minLength: 1, maxLength: 2 }),
    fc.option(leaf, { nil: undefined }),
    async (data, numbers, path, value) => {
      let count = 0;
      const before = disturbed(data, () => numbers[count++ % numbers.length] as number);
      const expected = structuredClone(data) as Record<string, unknown>;
      const [first, second] = path as [string, string?];
      if (second !== undefined && value !== undefined && !Object.hasOwn(expected, first))
        expected[first] = {};
      const target = second === undefined ? expected : expected[first];
      const key = second ?? first;
      if (target === undefined) return;
      if (!isJsonObject(target)) {
        await expect(editJsonc(before, path, value)).rejects.toThrow(/is not an object/);
        return;
      }
      const old = target[key];
      if (value === undefined) delete target[key];
      else target[key] = value;
      const after = await editJsonc(before, path, value);
      expect(await read(after)).toEqual(expected);
      if (typeof old !== 'object' || old === null) {
        const lost = commentsIn(before) - commentsIn(after);
        expect(lost).toBeLessThanOrEqual(value === undefined && old !== undefined ? 2 : 0);
      }
    },
  );
  await fc.assert(property, { numRuns: 1500 });
});

it('an edit of a settings file takes a value that looks like JSON as the text it is', async () => {
  expect(await editJsonc('{"a":{}}', ['b'], '{ "x": [ ] }\n ')).toBe('{"a":{}, "b": "{ \\"x\\": [ ] }\\n "}');
});
