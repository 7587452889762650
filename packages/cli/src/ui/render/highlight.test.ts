import { expect, it, vi } from 'vitest';
import { highlightCode, languageOfPath, loadHighlighting } from './highlight.js';
import { paint, textOfLine } from './line.js';
import { renderMarkdown } from './markdown.js';
import { advance, emptyStream, unfinished } from './markdown-stream.js';

const appearance = { color: true, unicode: true, linear: false };
const source = 'const a = 1; // <one> & "two"\n/* three\n four */\nreturn `x` + a;';

it('code has no colours of its language before they are loaded, and has them afterwards', async () => {
  // Another test file may have loaded the languages into this process already.
  vi.resetModules();
  const fresh = await import('./highlight.js');
  expect(fresh.highlightCode('ts', source)).toBeNull();
  await fresh.loadHighlighting();
  const rows = fresh.highlightCode('ts', source) ?? [];
  expect(rows.map(textOfLine).join('\n')).toBe(source);
  expect(rows[0]?.[0]).toEqual({ text: 'const', style: { color: 'magenta' } });
  expect(rows[2]).toEqual([{ text: ' four */', style: { dim: true } }]);
});

it('a language is known by the name of a fence and by the extension of a file', async () => {
  await loadHighlighting();
  for (const name of ['python', 'py', 'sh', 'c++', 'yml', 'rs', 'Makefile', 'Dockerfile'])
    expect([name, highlightCode(languageOfPath(`src/${name}`), 'x') !== null]).toEqual([name, true]);
  expect(highlightCode(languageOfPath('src/a.test.ts'), 'const')?.[0]?.[0]?.style?.color).toBe('magenta');
  expect(highlightCode('no-such-language', 'x')).toBeNull();
});

it('very long code is left in one colour', async () => {
  await loadHighlighting();
  expect(highlightCode('js', 'x;\n'.repeat(40_000))).toBeNull();
});

it('a diff in a code block is red and green', async () => {
  await loadHighlighting();
  const [removed = [], added = []] = renderMarkdown('```diff\n-old\n+new\n```', 40, appearance);
  expect(paint(removed, appearance)).toContain('\x1b[31m-old');
  expect(paint(added, appearance)).toContain('\x1b[32m+new');
});

it('code that comes in by single characters has the colours of the whole', async () => {
  await loadHighlighting();
  const text = `\`\`\`ts\n${source}\n\`\`\`\n`;
  const whole = renderMarkdown(text, 60, appearance);
  let stream = emptyStream;
  const printed = [...text].flatMap((character) => {
    const step = advance(stream, character, { width: 60, appearance });
    stream = step.stream;
    return step.printed;
  });
  expect(printed.map((row) => paint(row, appearance))).toEqual(whole.map((row) => paint(row, appearance)));
});

it('the row of code that is being written has the colours of what began above it', async () => {
  await loadHighlighting();
  const { stream } = advance(emptyStream, '```ts\n/* one\n two', { width: 60, appearance });
  expect(unfinished(stream, { width: 60, appearance })[0]?.at(-1)).toEqual({
    text: ' two',
    style: { dim: true },
  });
});
