import { applyEdits } from '@toolwright/machine/base/text-codec.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rewriteText } from './rewrite.js';

async function rewritten(text: string, content: string): Promise<string> {
  const byLine = applyEdits(text, await rewriteText({ text, exact: false }, content));
  const whole = applyEdits(text, await rewriteText({ text, exact: true }, content));
  expect(whole).toBe(byLine);
  return whole;
}

test.each([
  ['LF content into a CRLF file', 'a\r\nb\r\n', 'a\nx\nb\n', 'a\r\nx\r\nb\r\n'],
  ['CRLF content into an LF file', 'a\nb\n', 'a\r\nx\r\nb\r\n', 'a\nx\nb\n'],
  ['content into a file with lone CR', 'a\rb\r', 'a\nx\n', 'a\rx\r'],
  ['lines that stay keep their endings', 'a\nb\r\nc\nd\r\n', 'a\nb\nx\nc\nd\n', 'a\nb\r\nx\r\nc\nd\r\n'],
  ['a changed line keeps the ending of its place', 'a\nb\r\nc\n', 'a\nB\nc\n', 'a\nB\r\nc\n'],
  ['a first line that is new', 'a\r\n', 'x\na\n', 'x\r\na\r\n'],
  ['the last newline as given: gone', 'a\r\nb\r\n', 'a\nb', 'a\r\nb'],
  ['the last newline as given: added', 'a\r\nb', 'a\nb\n', 'a\r\nb\r\n'],
  ['everything new', 'a\r\nb\r\n', 'x\ny\nz', 'x\r\ny\r\nz'],
  ['nothing left', 'a\r\nb\r\n', '', ''],
  ['a file without line ends has no style to keep', 'a', 'x\r\ny\r\n', 'x\r\ny\r\n'],
  ['an empty file', '', 'x\r\ny\n', 'x\r\ny\n'],
])('a rewrite keeps the line endings of the file: %s', async (_name, text, content, expected) => {
  expect(await rewritten(text, content)).toBe(expected);
});

test('the same content is no edit, whatever the line endings of the file', async () => {
  expect(await rewriteText({ text: 'a\r\nb\nc\r\n', exact: true }, 'a\nb\nc\n')).toEqual([]);
  expect(await rewriteText({ text: 'a\r\nb\r\n', exact: true }, 'a\nb\n')).toEqual([]);
});

const lines = (endings: string[]) =>
  fc
    .tuple(
      fc.array(fc.tuple(fc.constantFrom('a', 'b', '', 'c d'), fc.constantFrom(...endings)), {
        maxLength: 15,
      }),
      fc.constantFrom('', 'e'),
    )
    .map(([list, last]) => list.map(([body, ending]) => body + ending).join('') + last);

test('the result reads as the content, and a file with one kind of line ending keeps it', async () => {
  await fc.assert(
    fc.asyncProperty(lines(['\n', '\r\n']), lines(['\n']), async (text, content) => {
      const result = await rewritten(text, content);
      expect(result.replaceAll('\r\n', '\n')).toBe(content);
      const kinds = new Set(text.match(/\r?\n/g));
      for (const ending of result.match(/\r?\n/g) ?? []) if (kinds.size > 0) expect(kinds).toContain(ending);
    }),
    { numRuns: 400 },
  );
});
