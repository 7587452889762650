import { describe, expect, it } from 'vitest';
import type { UserEvent } from './events.js';
import { emptyInput, inputOf } from './input-line.js';
import { intentOf } from './intent.js';
import type { Key } from './key.js';
import type { Question } from './question.js';
import { reduce } from './reduce.js';
import { safe } from './safe-text.js';
import { initialState, type State } from './state.js';

const idle: State = { ...initialState, phase: 'idle' };
const question: Question = {
  title: safe('Edit?'),
  facts: [],
  choices: [
    { key: 'y', label: safe('yes') },
    { key: 'n', label: safe('no'), asksFor: safe('No, because') },
  ],
  refusal: 'n',
};
const asking = reduce({ ...idle, phase: 'working' }, { type: 'question-asked', question });
const open = reduce(asking, {
  type: 'question-opened',
  size: { lines: 3, room: 10 },
  hasLongOthers: false,
});
const typing = (text: string, state = idle): State => ({ ...state, input: inputOf(text) });

const key = (name: Exclude<Key['name'], 'text' | 'paste'>): Key => ({ name });

/** Drops the record of typing, which has tests of its own. */
function withoutTyping(event: UserEvent | null): UserEvent | null {
  if (event?.type !== 'input-changed') return event;
  const { typing: _typing, ...rest } = event;
  return rest;
}

it('a question that no turn asked is refused by Esc and Ctrl+C, as there is no turn to cancel', () => {
  const left = reduce(open, { type: 'turn-ended' });
  const refusal = { type: 'reply-given', reply: { key: 'n', text: '' } };
  expect([intentOf(left, key('escape')), intentOf(left, key('interrupt'))]).toEqual([refusal, refusal]);
});

describe('the meaning of a key at the prompt', () => {
  it.each<[string, State, Key, UserEvent | null]>([
    ['Enter sends', typing(' list . '), key('enter'), { type: 'prompt-submitted', text: 'list .' }],
    ['Enter on nothing does nothing', typing('  '), key('enter'), null],
    [
      'a backslash before Enter starts a line',
      typing('one\\'),
      key('enter'),
      { type: 'input-changed', input: inputOf('one\n') },
    ],
    [
      'Alt+Enter starts a line',
      typing('one'),
      key('newline'),
      { type: 'input-changed', input: inputOf('one\n') },
    ],
    ['Ctrl+C clears the line', typing('one'), key('interrupt'), { type: 'input-changed', input: emptyInput }],
    [
      'Ctrl+C asks first',
      idle,
      key('interrupt'),
      { type: 'hinted', hint: 'Press Ctrl+C again to quit.', quitAsked: true },
    ],
    ['Ctrl+C twice quits', { ...idle, quitAsked: true }, key('interrupt'), { type: 'quit' }],
    ['Ctrl+D quits', idle, key('end-of-input'), { type: 'quit' }],
    [
      'Ctrl+D erases',
      { ...idle, input: { text: 'ab', cursor: 0 } },
      key('end-of-input'),
      { type: 'input-changed', input: { text: 'b', cursor: 0 } },
    ],
    ['Esc does nothing', idle, key('escape'), null],
    [
      'a paste keeps its lines',
      idle,
      { name: 'paste', text: 'a\nb' },
      { type: 'input-changed', input: inputOf('a\nb') },
    ],
    ['Ctrl+C before it has begun quits', initialState, key('interrupt'), { type: 'quit' }],
    ['Enter before it has begun waits', typing('x', initialState), key('enter'), null],
  ])('%s', (_what, state, pressed, event) => {
    expect(withoutTyping(intentOf(state, pressed))).toEqual(event);
  });
});

describe('the meaning of a key while something runs', () => {
  const working: State = { ...idle, phase: 'working' };
  const cancelling: State = { ...idle, phase: 'cancelling' };
  it.each<[string, State, Key, UserEvent | null]>([
    ['Esc cancels', working, key('escape'), { type: 'turn-cancelled' }],
    ['Ctrl+C cancels', typing('draft', working), key('interrupt'), { type: 'turn-cancelled' }],
    [
      'Ctrl+C while it stops warns',
      cancelling,
      key('interrupt'),
      { type: 'hinted', hint: 'Still stopping. Press Ctrl+C again to quit at once.', quitAsked: true },
    ],
    ['Ctrl+C once more quits', { ...cancelling, quitAsked: true }, key('interrupt'), { type: 'quit' }],
    [
      'Enter queues what was typed',
      typing('next', working),
      key('enter'),
      { type: 'message-queued', text: 'next' },
    ],
    ['typing goes on', working, { name: 'text', text: 'n' }, { type: 'input-changed', input: inputOf('n') }],
  ])('%s', (_what, state, pressed, event) => {
    expect(withoutTyping(intentOf(state, pressed))).toEqual(event);
  });
});

describe('the arrow keys', () => {
  const used = (
    [
      { type: 'prompt-submitted', text: 'one' },
      { type: 'turn-ended' },
      { type: 'prompt-submitted', text: 'two\nlines' },
      { type: 'turn-ended' },
    ] as const
  ).reduce<State>(reduce, idle);
  const press = (state: State, ...names: ('up' | 'down')[]): State =>
    names.reduce((now, name) => {
      const event = intentOf(now, { name });
      return event ? reduce(now, event) : now;
    }, state);

  it.each<[('up' | 'down')[], string]>([
    [['up'], 'two\nlines'],
    [['up', 'up'], 'two\nlines'],
    [['up', 'up', 'up'], 'one'],
    [['up', 'up', 'up', 'up'], 'one'],
    [['up', 'down'], 'draft'],
    [['down'], 'draft'],
  ])('%j lead to %j', (names, text) => {
    expect(press(typing('draft', used), ...names).input.text).toBe(text);
  });

  it('typing makes the earlier prompt the new one', () => {
    const changed = reduce(press(used, 'up'), { type: 'input-changed', input: inputOf('two!') });
    expect(press(changed, 'up').input.text).toBe('two\nlines');
    expect(press(changed, 'up', 'down', 'down').input.text).toBe('two!');
  });
});
