import { expect, it } from 'vitest';
import { escaped, fenced } from './markdown.js';

it.each([
  ['a\n```\n# b', 'block', '````\na\n```\n# b\n````'],
  ['a`b', 'inline', '``a`b``'],
  ['`', 'inline', '`` ` ``'],
  ['\x1b[1mred', 'block', '```\n␛[1mred\n```'],
] as const)('%j as %s can not end its own fence, nor send escape sequences', (text, form, shown) => {
  expect(fenced(text, form)).toBe(shown);
});

it('a name in a sentence of ours is no link and no heading', () => {
  expect(escaped('It would write [x](http://a.b) #1.')).toBe('It would write \\[x\\](http://a.b) \\#1.');
});
