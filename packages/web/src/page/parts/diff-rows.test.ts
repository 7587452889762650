import { describe, expect, it } from 'vitest';
import { rowsOf, sidesOf, wordsOf } from './diff-rows.js';

const unified =
  '--- a/a.ts\n+++ b/a.ts\n@@ -3,4 +3,4 @@\n same\n-let answer = 41;\n-gone\n+let answer = 42;\n end\n';

describe('the rows of a diff', () => {
  it('have the numbers of both sides and know what replaced them', () => {
    expect(rowsOf(unified).map(({ kind, before, after, pair }) => [kind, before, after, pair])).toEqual([
      ['hunk', null, null, undefined],
      ['same', 3, 3, undefined],
      ['removed', 4, null, 'let answer = 42;'],
      ['removed', 5, null, undefined],
      ['added', null, 4, 'let answer = 41;'],
      ['same', 6, 5, undefined],
    ]);
  });

  it('stand beside each other in two columns', () => {
    const sides = sidesOf(rowsOf(unified)).map(({ left, right }) => [left?.text, right?.text]);
    expect(sides.slice(2)).toEqual([
      ['let answer = 41;', 'let answer = 42;'],
      ['gone', undefined],
      ['end', 'end'],
    ]);
  });

  it('are notes where there is no diff', () => {
    expect(rowsOf('Binary content: 1 kB before, 2 kB after.')).toEqual([
      { kind: 'note', text: 'Binary content: 1 kB before, 2 kB after.', before: null, after: null },
    ]);
  });

  it('keep lines that look like a head of a file inside a hunk', () => {
    expect(rowsOf('@@ -1 +1 @@\n--- a\n+++ b\n').map(({ kind, text }) => [kind, text])).toEqual([
      ['hunk', '@@ -1 +1 @@'],
      ['removed', '-- a'],
      ['added', '++ b'],
    ]);
  });
});

describe('the words of a line', () => {
  const marked = (text: string, pair: string): string =>
    wordsOf(text, pair)
      .map(({ text: words, isOther }) => (isOther ? `[${words}]` : words))
      .join('');

  it.each([
    ['let answer = 42;', 'let answer = 41;', 'let answer = [42];'],
    ['call(first, second)', 'call(first)', 'call(first[, second])'],
    ['nothing alike here', '0123', 'nothing alike here'],
    ['same', 'same', 'same'],
  ])('%j against %j are %j', (text, pair, words) => {
    expect(marked(text, pair)).toBe(words);
  });
});
