import { expect, it } from 'vitest';
import { type FrontValue, readFrontMatter } from './front-matter.js';

const cases: [string, string, Record<string, FrontValue>][] = [
  [
    'plain text, colons included',
    'description: Use when: a b\nname: x # why',
    { description: 'Use when: a b', name: 'x' },
  ],
  ['text in quotes', `a: "one \\"two\\"\\n \\u00e4"\nb: 'it''s'`, { a: 'one "two"\n ä', b: "it's" }],
  ['text over several lines', 'a: one\n  two\n  three\nb: "x\n  y"', { a: 'one two three', b: 'x y' }],
  [
    'folded and literal blocks',
    'a: >-\n  one\n  two\n\n  three\nb: |\n  x\n    y\nc: z',
    { a: 'one two\n\nthree', b: 'x\n  y', c: 'z' },
  ],
  [
    'lists in both forms',
    'a: [x, "y, z", Bash(git add:*, b)]\nb:\n  - one\n  - "two"\nc:\n- three',
    { a: ['x', 'y, z', 'Bash(git add:*, b)'], b: ['one', 'two'], c: ['three'] },
  ],
  [
    'names with values',
    'metadata:\n  author: me\n  version: "1.0"\n  deep:\n    more: 1',
    { metadata: { author: 'me', version: '1.0', deep: 'more: 1' } },
  ],
  ['nothing, and comments', '# hello\n\na:\nb: ""', { a: '', b: '' }],
  ['objects of JSON as text', 'metadata: {"a": {"b": 1}}', { metadata: '{"a": {"b": 1}}' }],
  ['names that every object has', 'constructor: x\n__proto__: y', { constructor: 'x', ['__proto__']: 'y' }],
];

it.each(cases)('the reader of front matter reads %s', (_name, text, fields) => {
  const found = readFrontMatter(`---\n${text}\n---\nbody\n`);
  expect(found).toMatchObject({ body: 'body\n' });
  expect('fields' in found && Object.entries(found.fields)).toEqual(Object.entries(fields));
});

it('the reader of front matter leaves a text without one as it is, and knows other line ends and a byte order mark', () => {
  expect(readFrontMatter('# Title\n---\n')).toEqual({ fields: {}, lines: {}, body: '# Title\n---\n' });
  expect(readFrontMatter('\uFEFF---\r\na: b\r\n---\r\nbody')).toEqual({
    fields: { a: 'b' },
    lines: { a: 2 },
    body: 'body',
  });
});

const broken: [string, string, number, RegExp][] = [
  ['has no end', '---\na: b\n', 1, /never ends/],
  [
    'is not made of names and values',
    '---\na: b\nnonsense\n---\n',
    3,
    /expected "name: value", found "nonsense"/,
  ],
  ['has a name twice', '---\na: b\n\na: c\n---\n', 4, /a appears here a second time; the first is in line 2/],
  ['has an open quote', '---\na: "b\n---\n', 2, /never closed/],
  ['has an open bracket', '---\na: [b, c\n---\n', 2, /never closed/],
];

it.each(broken)('the reader of front matter names the line where one %s', (_name, text, line, problem) => {
  expect(readFrontMatter(text)).toEqual({ line, problem: expect.stringMatching(problem) });
});
