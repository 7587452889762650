import { expect, it } from 'vitest';
import { changedWords } from './changed-words.js';

const marked = (parts: readonly { text: string; changed: boolean }[]): string =>
  parts.map(({ text, changed }) => (changed ? `[${text}]` : text)).join('');

it.each([
  ['const a = 1;', 'const a = 2;', 'const a = [1];', 'const a = [2];'],
  ['if (x) {', 'if (x && y) {', 'if (x) {', 'if (x[ && y]) {'],
  ['foo(a, b)', 'foo(c, d)', 'foo([a, b])', 'foo([c, d])'],
])('%j and %j differ in words', (before, after, left, right) => {
  const words = changedWords(before, after);
  expect(words && [marked(words.before), marked(words.after)]).toEqual([left, right]);
});

it.each([
  ['one thing', 'something else entirely'],
  ['', 'x'],
  ['x'.repeat(500), `${'x'.repeat(500)}y`],
])('nothing is marked where nearly all differs, or a line is too long: %#', (before, after) => {
  expect(changedWords(before, after)).toBeNull();
});
