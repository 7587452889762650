import { describe, expect, it } from 'vitest';
import type { UserEvent } from '../events.js';
import { inputOf } from '../input-line.js';
import { intentOf } from '../intent.js';
import type { Key } from '../key.js';
import type { Question } from '../question.js';
import { reduce } from '../reduce.js';
import { safe } from '../safe-text.js';
import { initialState, type State } from '../state.js';
import { UNSEEN } from './question-keys.js';

const question: Question = {
  title: safe('Edit?'),
  facts: [],
  choices: [
    { key: 'y', label: safe('yes'), agrees: true },
    { key: 'a', label: safe('always…'), opensAlways: true },
    { key: 'e', label: safe('edit') },
    { key: 'n', label: safe('no'), asksFor: safe('No, because') },
    { key: 't', label: safe('yes to these 2'), agrees: true },
  ],
  always: [
    { session: 'a1', saved: 's1', label: safe('changes to a.ts'), rule: safe('Edit(a.ts)') },
    { session: 'a2', saved: 's2', label: safe('every edit'), rule: safe('edit') },
  ],
  others: [{ title: safe('Next'), facts: [], choices: [], refusal: 'n' }],
  refusal: 'n',
};

const asking = reduce({ ...initialState, phase: 'working' }, { type: 'question-asked', question });
const openedWith = (lines: number, hasLongOthers = false, asked = asking): State =>
  reduce(asked, { type: 'question-opened', size: { lines, room: 10 }, hasLongOthers });
const open = openedWith(5);
const long = openedWith(25);

type Press = string | Key;
const keyOf = (press: Press): Key => (typeof press === 'string' ? { name: 'text', text: press } : press);
const enter: Key = { name: 'enter' };

/** Presses keys one after the other; gives the last event and the state after it. */
function pressed(state: State, ...keys: Press[]): { event: UserEvent | null; state: State } {
  return keys.map(keyOf).reduce<{ event: UserEvent | null; state: State }>(
    ({ state: now }, key) => {
      const event = intentOf(now, key);
      return { event, state: event ? reduce(now, event) : now };
    },
    { event: null, state },
  );
}

const reply = (key: string, text = ''): UserEvent => ({ type: 'reply-given', reply: { key, text } });

describe('one key', () => {
  it.each<[string, UserEvent]>([
    ['y', reply('y')],
    ['Y', reply('y')],
    ['e', reply('e')],
    ['t', reply('t')],
  ])('%s answers at once', (key, event) => {
    expect(pressed(open, key).event).toEqual(event);
  });

  it.each<[string, Press]>([
    ['x', 'x'],
    ['a digit', '1'],
    ['Enter', enter],
    ['Tab', { name: 'tab' }],
    ['a paste', { name: 'paste', text: 'y\n' }],
    ['an arrow, where there is nothing to scroll', { name: 'down' }],
  ])('that is no answer does nothing: %s', (_what, key) => {
    expect(pressed(open, key).event).toBeNull();
  });

  it.each<[string, Press]>([
    ['y', 'y'],
    ['a paste', { name: 'paste', text: 'y' }],
  ])('counts only once the question is open, and is meant for the line until then: %s', (_what, key) => {
    const { event } = pressed(asking, key);
    expect(event).toMatchObject({ type: 'input-changed', input: { text: 'y' } });
    expect(pressed(asking, enter).event).toBeNull();
  });
});

describe('no', () => {
  it('is followed by a line for the reason, which may stay empty', () => {
    expect(pressed(open, 'n', enter).event).toEqual(reply('n'));
    expect(pressed(open, 'n', 't', 'o', 'o', ' ', 'big', enter).event).toEqual(reply('n', 'too big'));
  });

  it('can be left again with Esc, and a pasted reason presses no Enter', () => {
    expect(pressed(open, 'n', { name: 'escape' }).state.question?.page).toEqual({ kind: 'answers' });
    const pasted = pressed(open, 'n', { name: 'paste', text: 'a\nb' });
    expect(pasted.event).toEqual({ type: 'reply-changed', reply: inputOf('a b') });
  });
});

describe('always', () => {
  it.each<[Press[], UserEvent]>([
    [['a', '1'], reply('a1')],
    [['a', 's', '2'], reply('s2')],
    [['a', { name: 'tab' }, '1'], reply('s1')],
    [['a', 'l', '1'], reply('a1', '10')],
    [['a', 'l', 'l', 's', '1'], reply('s1', '30m')],
    [['a', 's', 's', 'l', 'l', 'l', 'l', 'l', 'l', '2'], reply('a2')],
  ])('%j means %j', (keys, event) => {
    expect(pressed(open, ...keys).event).toEqual(event);
  });

  it('takes no key that it does not name', () => {
    for (const key of ['3', '0', 'y', 'n', 'x']) expect(pressed(open, 'a', key).event).toBeNull();
  });
});

describe('a question that is longer than the screen', () => {
  it('takes the word yes, unless its end was seen', () => {
    const asked = pressed(long, 'y');
    expect(asked.state.question?.page).toEqual({ kind: 'deliberate', key: 'y' });
    expect(pressed(asked.state, enter).event?.type).toBe('reply-rejected');
    expect(pressed(asked.state, 'y', enter).event?.type).toBe('reply-rejected');
    expect(pressed(asked.state, 'yes', enter).event).toEqual(reply('y'));
    const seen = pressed(long, { name: 'end' }).state;
    expect(pressed(seen, 'y').event).toEqual(reply('y'));
    expect(pressed(long, 'a').event).toEqual({ type: 'hinted', hint: UNSEEN });
    expect(pressed(seen, { name: 'home' }, 'a').state.question?.page.kind).toBe('always');
  });

  it('can be refused and edited at once', () => {
    expect(pressed(long, 'n', enter).event).toEqual(reply('n'));
    expect(pressed(long, 'e').event).toEqual(reply('e'));
  });

  it('is never answered together with others, nor when one of those is', () => {
    expect(pressed(long, { name: 'end' }, 't').event).toBeNull();
    expect(pressed(openedWith(5, true), 't').event).toBeNull();
  });

  it.each<[Press[], number]>([
    [[{ name: 'down' }], 1],
    [[' '], 8],
    [[{ name: 'page-down' }, { name: 'page-down' }], 15],
    [[{ name: 'end' }, { name: 'up' }], 14],
    [[{ name: 'end' }, { name: 'page-up' }], 7],
    [[{ name: 'down' }, { name: 'home' }], 0],
  ])('scrolls: %j leads to line %i', (keys, scroll) => {
    expect(pressed(long, ...keys).state.question?.scroll).toBe(scroll);
  });
});

it('Ctrl+O shows all that was printed, once the question can be answered, and once only', () => {
  const folded = { ...question, text: safe('the end'), unfolded: safe('all of it') };
  const asked = reduce({ ...initialState, phase: 'working' }, { type: 'question-asked', question: folded });
  expect(intentOf(asked, { name: 'unfold' })).toBeNull();
  const size = { lines: 3, room: 9 };
  const open = reduce(asked, { type: 'question-opened', size, hasLongOthers: false });
  const event = intentOf(open, { name: 'unfold' });
  expect(event).toEqual({ type: 'question-unfolded' });
  const unfolded = reduce(open, { type: 'question-unfolded' });
  expect(unfolded.question?.question.text).toBe('all of it');
  expect(intentOf(unfolded, { name: 'unfold' })).toBeNull();
});

it('a key that begins a longer one waits for Enter', () => {
  const many = Array.from({ length: 12 }, (_, index) => ({ key: String(index + 1), label: safe('x') }));
  const asked = reduce(initialState, { type: 'question-asked', question: { ...question, choices: many } });
  const state = openedWith(1, false, asked);
  expect(pressed(state, '2').event).toEqual(reply('2'));
  expect(pressed(state, '1', '2', enter).event).toEqual(reply('12'));
  expect(pressed(state, '1', '9', enter).event?.type).toBe('reply-rejected');
});
