import { expect, it, vi } from 'vitest';
import { safe } from '../../app/safe-text.js';
import { renderChanges } from './diff.js';
import { drawMissing, highlightCode, languageOfPath, loadLanguages } from './highlight.js';
import { grammars } from './highlight-languages.js';
import { paint, textOfLine } from './line.js';
import { renderMarkdown } from './markdown.js';
import { advance, emptyStream, unfinished } from './markdown-stream.js';

const appearance = { color: true, unicode: true, linear: false };
const source = 'const a = 1; // <one> & "two"\n/* three\n four */\nreturn `x` + a;';

/** The highlighting of a program that has loaded nothing yet: another test file may have loaded languages into this process. */
async function openFresh() {
  vi.resetModules();
  const { grammars: table } = await import('./highlight-languages.js');
  const highlighting = await import('./highlight.js');
  const loads = new Map(Object.entries(table).map(([name, each]) => [name, vi.spyOn(each, 'load')]));
  const loaded = () => [...loads].filter(([, { mock }]) => mock.calls.length > 0).map(([name]) => name);
  const draw = (language: string, text: string) =>
    highlighting.drawMissing(() => highlighting.highlightCode(language, text));
  return { ...highlighting, loads, loaded, draw };
}

it('code has no colours of its language before they are loaded, and has them afterwards', async () => {
  const { draw, loadLanguages: load } = await openFresh();
  const { drawn, missing } = draw('ts', source);
  expect(drawn).toBeNull();
  await load(missing);
  const { drawn: rows, missing: left } = draw('ts', source);
  expect([...left]).toEqual([]);
  expect(rows?.map(textOfLine).join('\n')).toBe(source);
  expect(rows?.[0]?.[0]).toEqual({ text: 'const', style: { color: 'magenta' } });
  expect(rows?.[2]).toEqual([{ text: ' four */', style: { dim: true } }]);
});

it('code in one language loads the grammar of that language alone, and once', async () => {
  const { draw, loadLanguages: load, loaded, loads } = await openFresh();
  expect(loaded()).toEqual([]);
  const { missing } = draw('py', 'def f(): pass');
  expect(loaded()).toEqual([]);
  await Promise.all([load(missing), load(missing)]);
  expect(draw('python', 'def f(): pass').drawn?.[0]?.[0]?.style?.color).toBe('magenta');
  expect(loaded()).toEqual(['python']);
  expect(loads.get('python')).toHaveBeenCalledTimes(1);
});

it.each([
  ['html', '<p>x</p>', ['xml'], []],
  ['html', '<style>p { color: red }</style>', ['xml'], ['css']],
  ['html', '<script>const a = 1;</script>', ['xml'], ['javascript']],
  ['ts', 'const a = 1;', ['typescript'], []],
  ['ts', 'const a = css`p { color: red }`;', ['typescript'], ['css']],
  ['js', 'const a = html`<p>x</p>`;', ['javascript'], ['xml']],
  ['md', 'a <b>c</b>', ['markdown'], ['xml']],
  ['dockerfile', 'RUN echo hi', ['dockerfile'], ['bash']],
  ['yaml', 'a: <%= b %>', ['yaml'], ['ruby']],
])('%s as in %j loads what is inside it, too, but only that', async (language, text, first, then) => {
  const { draw, loadLanguages: load, loaded } = await openFresh();
  const outer = draw(language, text);
  expect([...outer.missing]).toEqual(first);
  await load(outer.missing);
  const inner = draw(language, text);
  expect([...inner.missing]).toEqual(then);
  await load(inner.missing);
  const last = draw(language, text);
  expect([...last.missing]).toEqual([]);
  expect(last.drawn?.map(textOfLine).join('\n')).toBe(text);
  expect(loaded().toSorted()).toEqual([...first, ...then].toSorted());
});

it('code inside other code has the colours of its own language', async () => {
  await loadLanguages(['xml', 'css']);
  const [row = []] = highlightCode('html', '<style>p { color: red }</style>') ?? [];
  expect(row).toContainEqual({ text: 'color', style: { color: 'cyan' } });
});

it('a language that nobody knows is not waited for', async () => {
  const { draw, loaded, loadLanguages: load } = await openFresh();
  for (const name of ['no-such-language', '', 'txt', 'constructor']) {
    expect(draw(name, 'x')).toEqual({ drawn: null, missing: new Set() });
    await load([name]);
  }
  expect(loaded()).toEqual([]);
});

it('a grammar that can not be loaded leaves its code in one colour, and is not waited for again', async () => {
  const { draw, loads, loadLanguages: load } = await openFresh();
  loads.get('python')?.mockRejectedValue(new Error('the file is gone'));
  await load(draw('py', 'def f(): pass').missing);
  expect(draw('py', 'def f(): pass')).toEqual({ drawn: null, missing: new Set() });
  await load(['python', 'go']);
  expect(loads.get('python')).toHaveBeenCalledTimes(1);
  expect(draw('go', 'func f() {}').drawn).not.toBeNull();
});

it('the table has every name that a grammar has for itself', async () => {
  const { default: core } = await import('highlight.js/lib/core');
  const more: Readonly<Record<string, readonly string[]>> = { bash: ['console'] };
  for (const [name, { aliases, load }] of Object.entries(grammars)) {
    const own = (await load()).default(core).aliases ?? [];
    expect([name, aliases]).toEqual([name, [...own, ...(more[name] ?? [])].join(' ')]);
  }
});

it.each([
  ['python', 'python'],
  ['py', 'python'],
  ['sh', 'bash'],
  ['console', 'bash'],
  ['C++', 'cpp'],
  ['yml', 'yaml'],
  ['rs', 'rust'],
  ['Makefile', 'makefile'],
  ['Dockerfile', 'dockerfile'],
  ['a.test.mts', 'typescript'],
  ['page.html', 'xml'],
  ['Cargo.toml', 'ini'],
])('%s is known as %s before anything is loaded', async (name, language) => {
  const { draw, loaded } = await openFresh();
  expect([...draw(languageOfPath(`src/${name}`), 'x').missing]).toEqual([language]);
  expect(loaded()).toEqual([]);
});

it('very long code is left in one colour, and loads nothing', () => {
  expect(drawMissing(() => highlightCode('lua', 'x;\n'.repeat(40_000)))).toEqual({
    drawn: null,
    missing: new Set(),
  });
});

it('a diff in a code block is red and green', async () => {
  await loadLanguages(['diff']);
  const [removed = [], added = []] = renderMarkdown('```diff\n-old\n+new\n```', 40, appearance);
  expect(paint(removed, appearance)).toContain('\x1b[31m-old');
  expect(paint(added, appearance)).toContain('\x1b[32m+new');
});

it('a comment in a changed line is slanted: faint letters can not be read on a colour', async () => {
  await loadLanguages(['typescript']);
  const file = {
    path: safe('a.ts'),
    change: safe('modify'),
    unified: safe('@@ -1 +1,2 @@\n // one\n+// two\n'),
    added: 1,
    removed: 0,
  };
  const [context = [], added = []] = renderChanges(file, 40);
  expect(context.at(-1)).toEqual({ text: '// one', style: { dim: true } });
  expect(added.at(-1)).toEqual({ text: '// two', style: { italic: true, background: 'added' } });
});

it('code that comes in by single characters has the colours of the whole', async () => {
  await loadLanguages(['typescript']);
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
  await loadLanguages(['typescript']);
  const { stream } = advance(emptyStream, '```ts\n/* one\n two', { width: 60, appearance });
  expect(unfinished(stream, { width: 60, appearance })[0]?.at(-1)).toEqual({
    text: ' two',
    style: { dim: true },
  });
});
