import { describe, expect, it } from 'vitest';
import {
  erased,
  graphemes,
  type InputLine,
  insert,
  type Movement,
  moved,
  movedByLine,
} from './input-line.js';

/** A line with `|` where the cursor stands. */
function at(text: string): InputLine {
  return { text: text.replace('|', ''), cursor: text.indexOf('|') };
}

function shown({ text, cursor }: InputLine): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

describe('the cursor', () => {
  it.each<[string, Movement, string]>([
    ['ab|c', 'left', 'a|bc'],
    ['|abc', 'left', '|abc'],
    ['ab|c', 'right', 'abc|'],
    ['abc|', 'right', 'abc|'],
    ['a👨‍👩‍👧|b', 'left', 'a|👨‍👩‍👧b'],
    ['|e\u0301x', 'right', 'e\u0301|x'],
    ['日本|', 'left', '日|本'],
    ['one two-three |', 'word-left', 'one two-|three '],
    ['one two|', 'word-left', 'one |two'],
    ['naïve |café', 'word-right', 'naïve café|'],
    ['|one, two', 'word-right', 'one|, two'],
    ['a\nbc|d', 'line-start', 'a\n|bcd'],
    ['a|b\ncd', 'line-end', 'ab|\ncd'],
    ['ab\nc|d', 'line-end', 'ab\ncd|'],
  ])('at %j moves %s to %j', (before, movement, after) => {
    expect(shown(moved(at(before), movement))).toBe(after);
  });

  it.each<[string, -1 | 1, string | null]>([
    ['one\ntw|o', -1, 'on|e\ntwo'],
    ['a\nlong l|ine', -1, 'a|\nlong line'],
    ['on|e\ntwo', 1, 'one\ntw|o'],
    ['日本|語\nabc', 1, '日本語\nab|c'],
    ['on|e', -1, null],
    ['a\nb|', 1, null],
  ])('at %j moves by %i lines to %j', (before, direction, after) => {
    const result = movedByLine(at(before), direction);
    expect(result && shown(result)).toBe(after);
  });
});

describe('erasing', () => {
  it.each<[string, Movement, string]>([
    ['ab|c', 'left', 'a|c'],
    ['|abc', 'left', '|abc'],
    ['x🏳️‍🌈|', 'left', 'x|'],
    ['a|bc', 'right', 'a|c'],
    ['rm -rf build|', 'word-left', 'rm -rf |'],
    ['one|two\nx', 'line-end', 'one|\nx'],
    ['x\none|two', 'line-start', 'x\n|two'],
  ])('in %j to the %s leaves %j', (before, movement, after) => {
    expect(shown(erased(at(before), movement))).toBe(after);
  });
});

it('the input line inserts text at the cursor', () => {
  expect(shown(insert(at('a|c'), 'b\nb'))).toBe('ab\nb|c');
});

it('splits text into characters as readers see them', () => {
  expect(graphemes('aé👍🏽e\u0301日')).toEqual(['a', 'é', '👍🏽', 'e\u0301', '日']);
});
