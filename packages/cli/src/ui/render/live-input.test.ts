import { describe, expect, it } from 'vitest';
import { echo } from '../line-drawing.js';
import { textOfLine } from './line.js';
import { layoutInput } from './typing/input.js';

/** The rows with `|` where the cursor stands; `|` in the text is the cursor of the line. */
function layout(text: string, width: number, maxRows = 10): string[] {
  const cursor = text.indexOf('|');
  const laid = layoutInput({ text: text.replace('|', ''), cursor }, { width, mark: '> ', maxRows });
  return laid.lines.map((spans, row) => {
    const shown = textOfLine(spans);
    if (row !== laid.cursor.row) return shown;
    const column = columnIndex(shown, laid.cursor.column);
    return `${shown.slice(0, column)}|${shown.slice(column)}`;
  });
}

/** Index in the text of a column, for texts of letters and wide characters. */
function columnIndex(text: string, column: number): number {
  let [index, at] = [0, 0];
  for (const character of text) {
    if (at >= column) break;
    at += /[\u3000-\u9fff\uff00-\uffef]|\p{Emoji_Presentation}/u.test(character) ? 2 : 1;
    index += character.length;
  }
  return index;
}

describe('the line being typed', () => {
  it.each<[string, number, string[]]>([
    ['|', 10, ['> |']],
    ['ab|c', 10, ['> ab|c']],
    ['abcdefgh|', 10, ['> abcdefgh', '  |']],
    ['abcdefghij|k', 10, ['> abcdefgh', '  ij|k']],
    ['one\ntw|o', 10, ['> one', '  tw|o']],
    ['one\n|', 10, ['> one', '  |']],
    ['日本語日|本', 9, ['> 日本語', '  日|本']],
    ['a👍|b', 10, ['> a👍|b']],
    ['a\tb|', 10, ['> a    b|']],
    ['\x1b[2J|', 10, ['> ␛[2J|']],
    ['a\u202e|', 20, ['> a<U+202E>|']],
  ])('that is %j fills %i columns as %j', (text, width, expected) => {
    expect(layout(text, width)).toEqual(expected);
  });

  it.each<[string, string[]]>([
    ['|a\nb\nc\nd', ['> |a', '  b']],
    ['a\nb\n|c\nd', ['  b', '  |c']],
    ['a\nb\nc\nd|', ['  c', '  d|']],
  ])('shows a window around the cursor of %j', (text, expected) => {
    expect(layout(text, 20, 2)).toEqual(expected);
  });
});

describe('typing without moving the cursor', () => {
  it.each<[string, string, string | null]>([
    ['', 'a', 'a'],
    ['a', 'ab', 'b'],
    ['ab', 'a', '\b \b'],
    ['a日', 'a', '\b \b\b \b'],
    ['a', 'a', ''],
    ['a', 'a\nb', '\r\nb'],
    ['a\nb', 'a', null],
    ['ab', 'xb', null],
    ['', '\x1b[2J', '␛[2J'],
  ])('from %j to %j prints %j', (before, after, expected) => {
    expect(echo(before, after)).toBe(expected);
  });
});
