import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codeRanges } from './markdown-code.js';
import { findImports } from './read-context.js';

const paths = (text: string): string[] => findImports(text).map(({ path }) => path);

describe('an import', () => {
  test.each<[string, string, string[]]>([
    ['is a line of its own', '@docs/style.md\n', ['docs/style.md']],
    ['is a word in a sentence', 'See @docs/style.md for details.', ['docs/style.md']],
    [
      'loses the punctuation after it',
      'See @docs/style.md, (or @b.md), "and" @c.md!',
      ['docs/style.md', 'b.md', 'c.md'],
    ],
    ['may be a list item', '- @a.md\n* @b.md\n1. @c.md\n', ['a.md', 'b.md', 'c.md']],
    ['may be quoted', '> @a.md\n', ['a.md']],
    ['may stand in a heading', '# About @a.md\n', ['a.md']],
    ['may leave its folder', '@../x.md @./y.md @/abs/z.md', ['../x.md', './y.md', '/abs/z.md']],
    ['may have blanks in its name', 'see @my\\ notes.md now', ['my notes.md']],
    ['counts once', '@a.md and @a.md', ['a.md']],
    ['ends at a Windows line end', '@a.md\r\n@b.md\r\n', ['a.md', 'b.md']],
    ['keeps a name without extension', '@README', ['README']],
    ['is found after a paragraph with an unpaired backtick', 'a ` b\n\n@a.md `', ['a.md']],
    ['is found in an item of a nested list', '- a\n    - @a.md\n', ['a.md']],
    ['is found in the second paragraph of an item', '1.  text\n\n    @a.md\n', ['a.md']],
    ['is found on an indented line that goes on with a paragraph', 'text\n    @a.md\n', ['a.md']],
    ['is found after a closed fence', '```\n@no.md\n```\n@a.md\n', ['a.md']],
    ['is found after the quotation that a fence was opened in', '> ```\n> @no.md\n@a.md\n', ['a.md']],
    ['is found after the item that a fence was opened in', '- ```\n  @no.md\n\n@a.md\n', ['a.md']],
    ['is found after a comment', '<!-- @no.md -->\n@a.md\n', ['a.md']],
  ])('%s', (_name, text, expected) => {
    expect(paths(text)).toEqual(expected);
  });

  test.each<[string, string]>([
    ['in a code span', 'Use `@a.md` and ``x ` @b.md``.'],
    ['in a code span over two lines', 'Use `one\n@a.md two` here.'],
    ['in a code span of a heading', '## `x @a.md`'],
    ['in a fence of backticks', '```\n@a.md\n```'],
    ['in a fence of tildes that holds backticks', '~~~md\n```\n@a.md\n```\n@b.md\n~~~\n'],
    ['in a longer fence that holds a shorter one', '````\n```\n@a.md\n```\n@b.md\n````\n'],
    ['in a fence that nothing closes', 'a\n\n```\n@a.md\n\n@b.md\n'],
    ['in a fence in a list', '- a\n\n  ```\n  @a.md\n  ```\n'],
    ['in a fence that starts as a list item', '- ```\n  @a.md\n  ```\n'],
    ['in a quoted fence', '> ```\n> @a.md\n> ```\n'],
    ['in an indented block', 'text\n\n    @a.md\n\n    @b.md\n'],
    ['in a block indented by a tab', '\t@a.md\n'],
    ['in an indented block of a list item', '- text\n\n      @a.md\n'],
    ['in a comment', 'x <!-- @a.md\n@b.md --> y'],
    ['in a comment over several paragraphs', '<!--\n@a.md\n\n@b.md\n-->\n'],
    ['in preformatted HTML', '<pre>\n@a.md\n\n@b.md\n</pre>\n'],
    ['in a code element', 'x <code>a @a.md</code>'],
    ['in the middle of a word', 'me@example.org x@a.md'],
    ['after a backslash', '\\@a.md'],
    ['without a name', '@ @. @,'],
    ['in a link', '[x](@a.md)'],
  ])('is not looked for %s', (_name, text) => {
    expect(paths(text)).toEqual([]);
  });
});

test('code ranges say which code runs to the end because nothing closes it', () => {
  const text = '`a`\n\n```\nb\n```\n\n~~~\nc\n';
  const shown = codeRanges(text).map(({ start, end, kind, closed }) => [
    kind,
    text.slice(start, end),
    closed,
  ]);
  expect(shown).toEqual([
    ['span', '`a`', true],
    ['fence', '```\nb\n```\n', true],
    ['fence', '~~~\nc\n', false],
  ]);
});

test.each([
  ['backticks of every length', Array.from({ length: 360 }, (_, index) => '`'.repeat(index + 1)).join(' ')],
  ['tags that nothing closes', '<code>x '.repeat(8_000)],
  ['comments that nothing closes', 'x <!-- '.repeat(9_000)],
  ['quotations in quotations', '> '.repeat(30_000)],
  ['lists in lists', '- '.repeat(30_000)],
])('%s in the largest file are scanned in a bounded number of steps', (_name, text) => {
  expect(findImports(`${text}\n\n@a.md`).length).toBeLessThanOrEqual(1);
});

test('code ranges of any text come in order, apart from each other and inside it', () => {
  const piece = fc.constantFrom(
    '`',
    '``',
    '```',
    '~~~',
    '\n',
    '\n\n',
    '    ',
    '- ',
    '> ',
    '<!--',
    '-->',
    '<code>',
    '</code>',
    '@a.md',
    ' ',
    '# ',
    '\\',
    '\t',
    '1. ',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join('');
      let last = 0;
      for (const { start, end } of codeRanges(text)) {
        expect(start).toBeGreaterThanOrEqual(last);
        expect(end).toBeGreaterThan(start);
        last = end;
      }
      expect(last).toBeLessThanOrEqual(text.length);
    }),
    { numRuns: 2_000 },
  );
});
