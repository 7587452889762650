import { describe, expect, it } from 'vitest';
import { inputOf } from '../input-line.js';
import { intentOf } from '../intent.js';
import type { Key } from '../key.js';
import { reduce } from '../reduce.js';
import { initialState, type State } from '../state.js';
import { imagesIn, unfoldedText } from './paste.js';

const idle: State = { ...initialState, phase: 'idle' };

function press(state: State, ...keys: (Key | string)[]): State {
  return keys.reduce<State>((now, key) => {
    const pressed: Key = typeof key === 'string' ? { name: 'text', text: key } : key;
    const event = intentOf(now, pressed);
    return event ? reduce(now, event) : now;
  }, state);
}

const named = (name: Exclude<Key['name'], 'text' | 'paste'>): Key => ({ name });
const paste = (text: string): Key => ({ name: 'paste', text });
const shown = ({ input: { text, cursor } }: State): string =>
  `${text.slice(0, cursor)}|${text.slice(cursor)}`;

describe('the kill ring', () => {
  it('keeps what was erased by words and lines, and puts it back', () => {
    const state = press(idle, 'one two three', named('erase-word'), named('home'), named('yank'));
    expect(shown(state)).toBe('three|one two ');
  });

  it('joins pieces that were erased in a row, in the order in which they stood', () => {
    const state = press(idle, 'one two three', named('erase-word'), named('erase-word'), named('yank'));
    expect(shown(state)).toBe('one two three|');
    const forward = press(
      idle,
      'one two',
      named('home'),
      named('erase-word-right'),
      named('erase-word-right'),
    );
    expect(shown(press(forward, 'x ', named('yank')))).toBe('x one two|');
  });

  it('gives the piece before with Alt+Y, round and round', () => {
    const state = press(idle, 'one', named('erase-to-start'), 'two', named('erase-to-start'), named('yank'));
    expect(shown(state)).toBe('two|');
    const earlier = press(state, named('yank-earlier'));
    expect(shown(earlier)).toBe('one|');
    expect(shown(press(earlier, named('yank-earlier')))).toBe('two|');
    expect(shown(press(press(state, 'x'), named('yank-earlier')))).toBe('twox|');
  });
});

describe('undo', () => {
  it('takes words back one by one, and what Ctrl+C cleared', () => {
    const typed = press(idle, ...'ab cd');
    expect(shown(press(typed, named('undo')))).toBe('ab |');
    expect(shown(press(typed, named('interrupt'), named('undo')))).toBe('ab cd|');
    expect(shown(press(typed, named('undo'), named('undo'), named('undo'), named('undo')))).toBe('|');
  });
});

describe('a paste', () => {
  const lines = (count: number): string =>
    Array.from({ length: count }, (_, at) => `line ${at + 1}`).join('\n');

  it('of ten lines stays as it is, and a longer one becomes a token that stands for it', () => {
    expect(press(idle, paste(lines(10))).input.text).toBe(lines(10));
    const state = press(idle, 'see ', paste(lines(11)), ' please');
    expect(state.input.text).toBe('see [Pasted text #1, 11 lines] please');
    expect(unfoldedText(state.input.text, state.typing.folded)).toBe(`see ${lines(11)} please`);
    expect(press(state, paste(lines(12))).input.text).toContain('[Pasted text #2, 12 lines]');
  });

  it('that was folded opens with Ctrl+O, and goes in one piece with Backspace', () => {
    const state = press(idle, paste(lines(11)));
    expect(press(state, named('unfold')).input.text).toBe(lines(11));
    expect(press(state, named('backspace')).input.text).toBe('');
    expect(press(state, named('backspace'), named('undo')).input.text).toBe('[Pasted text #1, 11 lines]');
  });

  it.each([
    ['/tmp/a%20b.png', '/tmp/a%20b.png'],
    ["'/tmp/my shot.PNG' ", '/tmp/my shot.PNG'],
    ['/tmp/my\\ shot.jpeg', '/tmp/my shot.jpeg'],
    ['file:///tmp/my%20shot.webp', '/tmp/my shot.webp'],
    ['~/shot.gif', '~/shot.gif'],
  ])('of the path %j is the image %j', (text, path) => {
    const state = press(idle, paste(text));
    expect(imagesIn(state.input.text, state.typing.folded)).toEqual([
      { token: expect.stringMatching(/^\[Image #1: .*\]$/), image: { path } },
    ]);
  });

  it.each(['logo.png', 'see /tmp/a.png', '/tmp/a.txt', '/tmp/a.png\n/tmp/b.png'])('of %j is text', (text) => {
    expect(press(idle, paste(text)).input.text).toBe(text);
  });
});

describe('the keys of vim', () => {
  const vim = reduce(idle, { type: 'vim-chosen', isOn: true });
  const normal = (text: string): State => press({ ...vim, input: inputOf(text) }, named('escape'));

  it.each([
    ['one two three', '0', '|one two three'],
    ['one two three', 'b', 'one two |three'],
    ['one two three', 'bb', 'one |two three'],
    ['one two three', '0w', 'one |two three'],
    ['one two three', '02w', 'one two |three'],
    ['one two three', '0e', 'on|e two three'],
    ['one two three', '0dw', '|two three'],
    ['one two three', '0d2w', '|three'],
    ['one two three', '0x', '|ne two three'],
    ['one two three', '03x', '| two three'],
    ['one two three', '0wD', 'one| '],
    ['one two three', '0wcwsix', 'one six| three'],
    ['one two three', '0wciwsix', 'one six| three'],
    ['one two three', '0ftx', 'one |wo three'],
    ['one two three', '0tt', 'one| two three'],
    ['one two three', '0fo;', 'one tw|o three'],
    ['one two three', '0fe;,', 'on|e two three'],
    ['one two three', '0dfw', '|o three'],
    ['one two three', '0ywP', 'one |one two three'],
    ['one two three', '0xp', 'no|e two three'],
    ['one two three', '0rX', '|Xne two three'],
    ['one two three', '0~', 'O|ne two three'],
    ['one two three', '0dwu', '|one two three'],
    ['one two three', '0dw.', '|three'],
    ['one two three', 'A four', 'one two three four|'],
    ['one two three', 'Izero ', 'zero |one two three'],
    ['one\ntwo\nthree', 'ggdd', '|two\nthree'],
    ['one\ntwo\nthree', 'ggJ', 'one| two\nthree'],
    ['one\ntwo\nthree', 'ggofour', 'one\nfour|\ntwo\nthree'],
    ['one\ntwo\nthree', 'kyyP', 'one\ntwo|two\nthree'],
    ['one two three', '0dq', '|one two three'],
  ])('on %j the keys %j give %j', (text, keys, expected) => {
    expect(shown(press(normal(text), ...keys))).toBe(expected);
  });

  it('send with Enter in both modes, and leave Esc to its other meaning in normal mode', () => {
    expect(intentOf(normal('go'), named('enter'))).toEqual({ type: 'prompt-submitted', text: 'go' });
    expect(intentOf({ ...normal('go'), phase: 'working' }, named('escape'))).toEqual({
      type: 'turn-cancelled',
    });
  });
});
