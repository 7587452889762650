import { describe, expect, it } from 'vitest';
import { inputOf } from '../input-line.js';
import { intentOf } from '../intent.js';
import type { Key } from '../key.js';
import { reduce } from '../reduce.js';
import { safe } from '../safe-text.js';
import { initialState, type State } from '../state.js';
import type { Menu } from './menu.js';
import type { PickerSpec } from './picker.js';

const spec: PickerSpec = {
  title: safe('Choose'),
  typed: 'filter',
  items: ['apple pie', 'banana', 'cherry pie'].map((name) => ({ id: name, label: safe(name) })),
  dial: { name: safe('effort'), values: ['low', 'high'], value: 'low' },
};
const drafting: State = { ...initialState, phase: 'idle', input: inputOf('a draft') };
const open = (isNumbered = false, given = spec): State =>
  reduce(drafting, { type: 'picker-opened', spec: given, isNumbered });

function press(state: State, ...keys: (Key['name'] | `:${string}`)[]): State {
  return keys.reduce<State>((now, key) => {
    const pressed = (key.startsWith(':') ? { name: 'text', text: key.slice(1) } : { name: key }) as Key;
    const event = intentOf(now, pressed);
    return event ? reduce(now, event) : now;
  }, state);
}
const answer = (state: State) => intentOf(state, { name: 'enter' });

describe('a picker', () => {
  it('is narrowed by every word that is typed, and answers with the chosen item', () => {
    const narrowed = press(open(), ':pie');
    expect(narrowed.typing.picker?.matches).toEqual([0, 2]);
    expect(answer(press(narrowed, 'down'))).toEqual({
      type: 'picker-answered',
      picked: { id: 'cherry pie', text: 'pie', dial: 'low' },
    });
    expect(press(narrowed, ': ch').typing.picker?.matches).toEqual([2]);
    expect(press(narrowed, 'backspace', 'backspace', 'backspace').typing.picker?.matches).toEqual([0, 1, 2]);
    expect(answer(press(open(), ':zebra'))).toBeNull();
  });

  it('shows first what has the words in its name, then what speaks of them', () => {
    const items = [
      { id: 'tour', label: safe('/tour'), detail: safe('a change and its undo') },
      { id: 'undo', label: safe('/undo'), detail: safe('takes a change back') },
    ];
    const narrowed = press(open(false, { ...spec, items }), ':undo');
    expect(narrowed.typing.picker?.matches).toEqual([1, 0]);
  });

  it('closes with Esc and leaves the draft', () => {
    const closed = press(open(), ':ban', 'escape');
    expect([closed.typing.picker, closed.input.text]).toEqual([null, 'a draft']);
  });

  it('has a dial that Left and Right turn', () => {
    expect(answer(press(open(), 'right', 'right', 'down'))).toMatchObject({
      picked: { id: 'banana', dial: 'high' },
    });
  });

  it('gives way to a question and is there again afterwards', () => {
    const question = {
      title: safe('?'),
      facts: [],
      choices: [{ key: 'y', label: safe('yes') }],
      refusal: 'y',
    };
    const asked = reduce(open(), { type: 'question-asked', question });
    expect(intentOf(asked, { name: 'text', text: 'x' })).toBeNull();
    expect(reduce(asked, { type: 'question-closed', label: 'yes' }).typing.picker).not.toBeNull();
  });

  it('where nothing is redrawn is answered with a number, and narrowed with Enter', () => {
    expect(answer(press(open(true), ':2'))).toMatchObject({ picked: { id: 'banana' } });
    expect(answer(press(open(true), ':9'))).toMatchObject({ type: 'hinted' });
    const narrowed = press(open(true), ':pie', 'enter');
    expect(narrowed.typing.picker?.matches).toEqual([0, 2]);
    expect(answer(press(narrowed, ':2'))).toMatchObject({ picked: { id: 'cherry pie' } });
  });

  it('for a text answers with what was typed, and never with nothing', () => {
    const asking = open(false, { ...spec, items: [], typed: 'secret' });
    expect(answer(asking)).toBeNull();
    expect(answer(press(asking, ':sk-1'))).toMatchObject({ picked: { id: '', text: 'sk-1' } });
  });
});

describe('a menu', () => {
  const input = inputOf('see @sr');
  const items = ['src/', 'src/a b.ts'].map((path) => ({
    insert: path.replace(' ', '\\ '),
    label: safe(path),
    isOpen: path.endsWith('/'),
  }));
  const menu: Menu = { kind: 'file', input, from: 5, items, selected: 0, isLooking: false, isWhole: false };
  const shown: State = reduce({ ...drafting, input }, { type: 'menu-found', menu });

  it('puts the chosen path into the line, with a blank behind a file and none behind a folder', () => {
    expect(press(shown, 'tab').input.text).toBe('see @src/');
    expect(press(shown, 'down', 'enter').input.text).toBe('see @src/a\\ b.ts ');
  });

  it('leaves Enter alone where the path is whole, and everything once Esc closed it', () => {
    const whole = reduce(shown, { type: 'menu-found', menu: { ...menu, isWhole: true } });
    expect(intentOf(whole, { name: 'enter' })).toEqual({ type: 'prompt-submitted', text: 'see @sr' });
    const closed = press(shown, 'escape');
    expect([closed.typing.menu, closed.input.text]).toEqual([null, 'see @sr']);
    expect(intentOf(closed, { name: 'enter' })).toEqual({ type: 'prompt-submitted', text: 'see @sr' });
  });

  it('of commands runs the chosen one with Enter', () => {
    const typed = inputOf('/mo');
    const commands: Menu = {
      ...menu,
      kind: 'command',
      input: typed,
      from: 1,
      items: [{ insert: 'model', label: safe('/model') }],
    };
    const state = reduce({ ...drafting, input: typed }, { type: 'menu-found', menu: commands });
    expect(intentOf(state, { name: 'enter' })).toEqual({ type: 'prompt-submitted', text: '/model' });
  });
});
