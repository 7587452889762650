import { expect, it } from 'vitest';
import { inputOf } from '../../../app/input-line.js';
import { echo } from '../../line-drawing.js';
import { textOfLine } from '../line.js';
import { layoutInput } from './input.js';

const shown = (text: string): string[] =>
  layoutInput(inputOf(text), { width: 60, mark: '> ', maxRows: 3 }).lines.map(textOfLine);

it.each([
  ['a Persian word', 'می\u200cخواهم'],
  ['an Indic word', 'क्\u200dष'],
  ['a joined emoji', '👨\u200d👩\u200d👧'],
])('the line shows the joiner of %s as text', (_what, text) => {
  expect(shown(text)).toEqual([`> ${text}`]);
  const typed = [...text].map((_, at, all) => all.slice(0, at + 1).join(''));
  const echoed = typed.map((now, at) => echo(typed[at - 1] ?? '', now));
  expect(echoed.join('')).toBe(text);
});

it('a joiner that joins nothing is shown as a mark', () => {
  expect(shown('a\u200cb')).toEqual(['> a<U+200C>b']);
  expect(echo('a', 'a\u200cb')).toBe('<U+200C>b');
});

it('where nothing is redrawn, more is added, less is taken away, and anything else is printed anew', () => {
  expect(echo('ab', 'abc')).toBe('c');
  expect(echo('ab\t', 'ab')).toBe('\b \b'.repeat(2));
  expect(echo('ab', 'ab\nc')).toBe('\r\nc');
  expect(echo('ab\nc', 'ab')).toBeNull();
  expect(echo('ab', 'xb')).toBeNull();
});
