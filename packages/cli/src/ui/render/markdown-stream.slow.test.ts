import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Appearance, type StyledLine, textOfLine, widthOf } from './line.js';
import { markdownTokens, renderMarkdown } from './markdown.js';
import { advance, emptyStream, type MarkdownStream, unfinished } from './markdown-stream.js';

const appearance: Appearance = { color: false, unicode: true, linear: false };
const frame = { width: 30, appearance };
const texts = (lines: readonly StyledLine[]): string[] => lines.map(textOfLine);

/** Lines printed when the text arrives in these pieces. */
function printed(pieces: readonly string[]): string[] {
  const lines: StyledLine[] = [];
  let stream: MarkdownStream = emptyStream;
  for (const piece of pieces) {
    const step = advance(stream, piece, frame);
    lines.push(...step.printed);
    stream = step.stream;
  }
  return texts([...lines, ...advance(stream, '', { ...frame, isFinal: true }).printed]);
}

const blocks = [
  '# Heading',
  'Setext\n===',
  'A paragraph of some **bold words** and `code` that wraps.',
  'two\nlines',
  '- one\n- two\n- three',
  '* one\n\n  with a paragraph\n* two',
  '1. first\n2. second\n   - inner\n   - inner two\n3. third',
  '```ts\nconst a = 1;\n\nconst b = `x`;\n```',
  '~~~\n```\n~~~',
  '````\n```\n````',
  '    indented code\n\n    more of it',
  '> quoted\n> more\nlazy',
  '| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |',
  '---',
  'a | b\nno table',
  '日本語の文章 👍 &amp; more',
  '<b>html</b>',
  '- [ ] task\n- [x] done\n\n  ```\n  code in a list\n  ```',
  '# not closed ```',
  '**never closed',
];

describe('an answer that comes in pieces', () => {
  it.each(blocks)('of %j is printed as it would be in one', (block) => {
    const whole = texts(renderMarkdown(block, frame.width, appearance));
    expect(printed([...block])).toEqual(whole);
    expect(printed([block])).toEqual(whole);
  });

  it('is printed the same however it is cut', () => {
    const source = fc.array(fc.constantFrom(...blocks), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(
        source,
        fc.infiniteStream(fc.integer({ min: 1, max: 25 })),
        fc.boolean(),
        (parts, cuts, ends) => {
          const text = parts.join('\n\n') + (ends ? '\n' : '');
          const pieces: string[] = [];
          for (let at = 0; at < text.length; ) {
            const length = cuts.next().value;
            pieces.push(text.slice(at, at + length));
            at += length;
          }
          expect(printed(pieces)).toEqual(printed([text]));
        },
      ),
      { numRuns: 400 },
    );
  });
});

/** Scrollback lines, and those that can still change, after this much text. */
function state(text: string): { printed: string[]; open: string[] } {
  const step = advance(emptyStream, text, frame);
  return { printed: texts(step.printed), open: texts(unfinished(step.stream, frame)) };
}

describe('what is printed early', () => {
  it.each<[string, string[], string[]]>([
    ['one', [], ['one']],
    ['one\n', [], ['one']],
    ['one\n\ntwo', ['one'], ['', 'two']],
    ['# title\nte', ['# title'], ['', 'te']],
    ['- a\n- b\n- c', ['• a'], ['• b', '• c']],
    ['```\na\nb', ['    a'], ['    b']],
    ['```\na\n``', ['    a'], ['    ``']],
    ['x\n\n```\na\n```\n', ['x', '', '    a'], []],
    ['| a |\n|---|\n| 1 |\n', [], ['a', '─', '1']],
  ])('of %j is %j, and %j stays open', (text, printedLines, open) => {
    expect(state(text)).toEqual({ printed: printedLines, open });
  });

  it('nothing printed is ever printed differently: the beginning stays the beginning', () => {
    const text = blocks.join('\n\n');
    const whole = printed([text]);
    for (let length = 0; length < text.length; length += 3) {
      const early = state(text.slice(0, length)).printed;
      expect(whole.slice(0, early.length)).toEqual(early);
    }
  });
});

describe('the work for an answer', () => {
  /** Number of characters parsed as Markdown while the answer comes in these pieces. */
  function charactersRead(pieces: readonly string[]): number {
    let count = 0;
    const counting = {
      ...frame,
      read: (text: string) => markdownTokens(text.slice(0, (count += text.length))),
    };
    let stream: MarkdownStream = emptyStream;
    for (const piece of pieces) stream = advance(stream, piece, counting).stream;
    advance(stream, '', { ...counting, isFinal: true });
    return count;
  }
  const paragraphs = Array.from({ length: 3_000 }, (_, index) => `Paragraph ${index}.\n\n`);
  const items = Array.from({ length: 3_000 }, (_, index) => `- item ${index}\n`);
  const length = (pieces: readonly string[]): number => pieces.join('').length;

  it('grows with its length, in one piece or in many', () => {
    expect(charactersRead([paragraphs.join('')])).toBeLessThanOrEqual(2 * length(paragraphs));
    expect(charactersRead(paragraphs)).toBeLessThanOrEqual(3 * length(paragraphs));
    expect(charactersRead([...paragraphs.join('')])).toBeLessThanOrEqual(6 * length(paragraphs));
    expect(charactersRead(items)).toBeLessThanOrEqual(6 * length(items));
    expect(charactersRead([items.join('')])).toBeLessThanOrEqual(4 * length(items));
  });

  it('of a line without an end is nothing until it ends', () => {
    expect(charactersRead(Array.from({ length: 1_000 }, () => 'word '))).toBe(5_000);
  });
});

describe('an answer without an end in sight', () => {
  it('is printed by and by, with every word once', () => {
    const words = Array.from({ length: 6_000 }, (_, index) => `word${index}`);
    const lines = printed(words.map((word) => `${word} `));
    expect(lines.join(' ').split(/\s+/).filter(Boolean)).toEqual(words);
    expect(advance(emptyStream, words.join(' '), frame).stream.pending.length).toBeLessThan(17_000);
  });

  it.each<[string, string]>([
    ['quotations', `${'>'.repeat(2_500)} text`],
    [
      'quotations, then others',
      `${'> '.repeat(30)}one\n\n${'>'.repeat(40)} two\n\n\`\`\`\n${'>'.repeat(20)}\n\`\`\`\n\ntext`,
    ],
    ['lists', `${Array.from({ length: 100 }, (_, depth) => `${'  '.repeat(depth)}- x`).join('\n')}\n\ntext`],
  ])('is printed to its end through deeply nested %s', (_what, source) => {
    const lines = printed([source]);
    expect(lines.at(-1)).toMatch(/text$/);
    for (const row of lines) expect(widthOf(row)).toBeLessThanOrEqual(frame.width);
    expect(printed(source.match(/.{1,50}/gs) ?? [])).toEqual(lines);
  });

  it('is printed whole without a single blank in it', () => {
    expect(printed(['x'.repeat(40_000)]).join('')).toBe('x'.repeat(40_000));
  });
});
