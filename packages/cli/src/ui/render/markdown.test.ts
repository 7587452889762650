import { describe, expect, it } from 'vitest';
import { type Appearance, paint, textOfLine, widthOf } from './line.js';
import { renderMarkdown } from './markdown.js';

const plain: Appearance = { color: false, unicode: true, linear: false };
const lines = (text: string, width = 40, appearance: Appearance = plain): string[] =>
  renderMarkdown(text, width, appearance).map(textOfLine);

describe('Markdown as lines', () => {
  it.each<[string, string, string[]]>([
    ['a heading, with its marks where there are no colours', '## Two *words*', ['## Two words']],
    ['paragraphs with a blank line between', 'one\n\ntwo', ['one', '', 'two']],
    ['lines that were written as lines', 'one\ntwo  \nthree', ['one', 'two', 'three']],
    ['inline code with its marks', 'use `a < b` here', ['use `a < b` here']],
    ['entities as what they stand for', 'a &lt; b &amp;&amp; c', ['a < b && c']],
    ['a link with its address', '[text](https://a.b/c)', ['text (https://a.b/c)']],
    ['an address once', '<https://a.b>', ['https://a.b']],
    ['an image by its text', '![a cat](cat.png)', ['[image: a cat] (cat.png)']],
    ['lists', '- one\n- two\n  - three\n    more', ['• one', '• two', '  • three', '    more']],
    ['numbers as written', '3. one\n7. two', ['3. one', '7. two']],
    ['a numbered list after another one', '- one\n\n1. two', ['• one', '', '1. two']],
    ['boxes', '- [x] done\n- [ ] open', ['☑ done', '☐ open']],
    ['a list after text', 'text\n\n- one', ['text', '', '• one']],
    ['code as it is', '```ts\nif (a) {\n\tb **c**\n}\n```', ['    if (a) {', '        b **c**', '    }']],
    ['code in a list', '- x\n  ```\n  y\n  ```', ['• x', '      y']],
    ['a quotation', '> one\n>\n> two', ['│ one', '│ ', '│ two']],
    ['a rule', 'a\n\n---\n\nb', ['a', '', '─'.repeat(40), '', 'b']],
    ['HTML as text', '<div onclick="x">\nhi\n</div>', ['<div onclick="x">', 'hi', '</div>']],
    ['nothing at all', '', []],
  ])('show %s', (_what, source, expected) => {
    expect(lines(source)).toEqual(expected);
  });

  it('have no box characters where the terminal has none', () => {
    expect(lines('- a\n\n> b\n\n---', 12, { ...plain, unicode: false })).toEqual([
      '- a',
      '',
      '> b',
      '',
      '------------',
    ]);
  });

  it('have styles where there are colours', () => {
    const [painted] = renderMarkdown('a **b *c*** `d`', 40, { ...plain, color: true }).map((spans) =>
      paint(spans, { color: true }),
    );
    expect(painted).toBe('a \x1b[1mb \x1b[0m\x1b[1;3mc\x1b[0m \x1b[36m`d`\x1b[0m');
  });
});

const table = '| name | text |\n|---|--:|\n| 日本 | 1 |\n| b | a longer cell of words |';

describe('a table', () => {
  it.each<[number, string[]]>([
    [
      40,
      [
        'name │                   text',
        '─────┼───────────────────────',
        '日本 │                      1',
        'b    │ a longer cell of words',
      ],
    ],
    [
      22,
      [
        'name │            text',
        '─────┼────────────────',
        '日本 │               1',
        'b    │   a longer cell',
        '     │        of words',
      ],
    ],
    [12, ['name: 日本', 'text: 1', '', 'name: b', 'text: a', 'longer cell', 'of words']],
  ])('fits into %i columns', (width, expected) => {
    expect(lines(table, width)).toEqual(expected);
  });

  it('is written row by row for linear reading', () => {
    expect(lines(table, 40, { ...plain, linear: true })).toEqual([
      'name: 日本',
      'text: 1',
      '',
      'name: b',
      'text: a longer cell of words',
    ]);
  });
});

const mixture = [
  '# 見出し with a long heading that must wrap 👍',
  'A paragraph of **many** words, 日本語の長い文章がここにあります, and `some code in it` 👩‍💻.',
  '- an item that is rather long and wraps\n  - 入れ子の項目がここに続きます\n    1. deeper still with words',
  '> a quotation that wraps as well, 引用',
  '```\nconst veryLongLine = "日本語日本語日本語日本語日本語";\n```',
  table,
].join('\n\n');

describe('marks within marks, deeper than anybody reads', () => {
  it.each<[string, string]>([
    ['quotations', `${'>'.repeat(2_500)} text`],
    ['quotations with blanks', `${'> '.repeat(20_000)}text`],
    ['lists', `${'- '.repeat(10_000)}text`],
    ['numbers', `${'1. '.repeat(10_000)}text`],
    ['both', `${'> - '.repeat(10_000)}text`],
    ['brackets', `${'['.repeat(20_000)} text`],
    ['images', `${'!['.repeat(20_000)} text`],
    ['stars', `${'*a **b '.repeat(5_000)} text`],
    ['links in links', `${'[a'.repeat(5_000)}${'](b)'.repeat(5_000)} text`],
    ['tags', `${'<a><b>'.repeat(5_000)} text`],
  ])('%s are shown as text', (_what, source) => {
    const shown = lines(source, 60);
    expect(shown.join(' ')).toMatch(/text/);
    for (const row of shown) expect(widthOf(row)).toBeLessThanOrEqual(80);
  });

  it('are nested sixteen deep at most', () => {
    expect(lines(`${'>'.repeat(18)} text`, 60)).toEqual([`${'│ '.repeat(16)}>> text`]);
  });
});

describe('whatever the width', () => {
  it.each([20, 33, 50, 79, 120])('no line is wider than %i', (width) => {
    for (const text of lines(mixture, width)) expect(widthOf(text)).toBeLessThanOrEqual(width);
  });
});
