import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { createTextTools, never, type TextTools } from './fixtures/text-tools.js';

let tools: TextTools;
afterEach(() => tools.cleanup());

const plain = (index: number) => `line ${index}: some text to make it longer, much longer\n`;
const foreign = (index: number) => `\tzeile ${index}: Größe 大きさ 🙂 and more of it here\n`;
const LINES = 8_000;
const textOf = (line: (index: number) => string) =>
  Array.from({ length: LINES }, (_, at) => line(at)).join('');

/** The same edit looks at the lines around the place, or with `replace_all` at the whole text: nobody can tell. */
async function bothWays(content: string | Buffer, oldText: string, newText: string) {
  tools = createTextTools({ content: { 'a.txt': content, 'b.txt': content } });
  const results = [];
  for (const [name, everywhere] of [
    ['a.txt', false],
    ['b.txt', true],
  ] as const) {
    const params = { file_path: name, old_string: oldText, new_string: newText, replace_all: everywhere };
    const { llmContent, returnDisplay, error } = await tools.edit.execute(params, never);
    const said = JSON.stringify({ llmContent, returnDisplay, error }).replaceAll(name, 'file');
    results.push({ said, bytes: readFileSync(tools.path(name)) });
  }
  const [part, whole] = results as [(typeof results)[0], (typeof results)[0]];
  await tools.cleanup();
  return { part, whole };
}

describe('an exact edit of a large file', () => {
  test.each([
    ['in the first line', plain, 'line 0: some', 'line zero: some'],
    ['in the last line', plain, `line ${LINES - 1}:`, 'the end:'],
    ['in the middle', plain, 'line 4321:', 'changed:'],
    ['over several lines', plain, `${plain(77)}${plain(78)}`, 'one line\n'],
    ['with more lines than before', plain, plain(500), `${plain(500)}new\n\tnewer\n\n${plain(501)}`],
    ['that removes lines', plain, plain(3_000), ''],
    ['between other letters', foreign, 'zeile 4321: Größe', 'zeile 4321: Weite 幅 🙃'],
    ['of other letters alone', (index) => (index === 99 ? 'ö大🙂\n' : foreign(index)), 'ö大🙂', 'x'],
    ['of half of a pair of lines', foreign, 'more of it here\n\tzeile 6000', 'zeile 6000'],
  ] as [string, (index: number) => string, string, string][])(
    '%s says and writes what one that looks at all of the text does',
    async (_, line, oldText, newText) => {
      const text = textOf(line);
      for (const content of [text, text.slice(0, -1), `\uFEFF${text}`]) {
        const { part, whole } = await bothWays(content, oldText, newText);
        expect(part.said).toBe(whole.said);
        expect(part.said).toContain('1 replacement at line');
        const [before, after] = content.split(oldText) as [string, string];
        expect(part.bytes.equals(Buffer.from(before + newText + after))).toBe(true);
        expect(whole.bytes.equals(part.bytes)).toBe(true);
      }
    },
  );

  test('anywhere, of any length, does so too', async () => {
    const text = textOf(foreign);
    const places = fc.record({
      start: fc.nat(text.length - 200),
      length: fc.integer({ min: 60, max: 200 }),
      newText: fc.string({ maxLength: 30, unit: fc.constantFrom('a', 'ö', '大', ' ', '\n', '\t', '🙂') }),
    });
    await fc.assert(
      fc.asyncProperty(places, async ({ start, length, newText }) => {
        const oldText = text.slice(start, start + length);
        fc.pre(!/\p{Surrogate}/u.test(oldText) && text.indexOf(oldText) === start && oldText !== newText);
        const { part, whole } = await bothWays(text, oldText, newText);
        expect(part.said).toBe(whole.said);
        expect(part.bytes.equals(whole.bytes)).toBe(true);
      }),
      { numRuns: 15 },
    );
  });

  test('is brought together with what someone else changed meanwhile', async () => {
    const text = textOf(foreign);
    tools = createTextTools({ content: { 'a.txt': text } });
    const params = Object.freeze({ file_path: 'a.txt', old_string: 'zeile 70:', new_string: 'mine:' });
    await tools.edit.shouldConfirmExecute(params, never);
    tools.write('a.txt', text.replace('zeile 7000:', 'theirs:'));
    expect((await tools.edit.execute(params, never)).error).toBeUndefined();
    expect(tools.read('a.txt')).toBe(text.replace('zeile 7000:', 'theirs:').replace('zeile 70:', 'mine:'));
  });

  test('with carriage returns, a second place or malformed bytes is decided on the whole text', async () => {
    const text = textOf(plain);
    const crlf = text.replaceAll('\n', '\r\n');
    const { part } = await bothWays(crlf, `${plain(70)}${plain(71)}`, 'one\ntwo\n');
    expect(part.bytes.toString()).toBe(
      crlf.replace(`${plain(70)}${plain(71)}`.replaceAll('\n', '\r\n'), 'one\r\ntwo\r\n'),
    );
    const malformed = Buffer.concat([Buffer.from(text), Buffer.from([0xff]), Buffer.from('Größe\nüber ö\n')]);
    const kept = await bothWays(malformed, 'line 5:', 'fifth:');
    expect(kept.part.said).toBe(kept.whole.said);
    expect(kept.part.bytes.includes(0xff)).toBe(true);
    tools = createTextTools({ content: { 'a.txt': text } });
    const params = { file_path: 'a.txt', old_string: 'line 77', new_string: 'x' };
    expect((await tools.edit.execute(params, never)).error).toMatchObject({ code: 'invalid_params' });
  });
});
