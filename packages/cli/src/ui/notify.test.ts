import { expect, it } from 'vitest';
import { newQuestion } from '../app/asking/open-question.js';
import { safe } from '../app/safe-text.js';
import { initialState, type State } from '../app/state.js';
import { createNotifier, type NotifyMode } from './notify.js';

const question = newQuestion(7, { title: safe('Edit?\x07'), facts: [], choices: [], refusal: 'n' });
const working: State = { ...initialState, phase: 'working', withModel: true, seconds: 9 };
const asked: State = { ...working, question };
const done: State = { ...working, phase: 'idle' };

function told(mode: NotifyMode, { isAway = true, onlyBell = false } = {}): string[] {
  const written: string[] = [];
  const notifier = createNotifier({ write: (text) => written.push(text), mode, onlyBell });
  notifier.focused(!isAway);
  notifier.noticed(asked, working);
  notifier.noticed(asked, asked);
  notifier.noticed(done, working);
  return written;
}

const titles = ['\x1b]2;? Toolwright needs an answer\x07', '\x1b]2;Toolwright\x07'];
const notified = (words: string): string =>
  `\x07\x1b]9;Toolwright: ${words}\x07\x1b]777;notify;Toolwright;${words}\x07`;
const both = ['waiting for your answer', 'the model has finished'].map(notified);

it('a question and the end are told while the terminal is not in focus, each once', () => {
  expect(told('auto')).toEqual([titles[0], both[0], titles[1], both[1]]);
  expect(told('auto', { isAway: false })).toEqual(titles);
});

it('always and never hold whatever is in focus; who reads line by line hears the bell alone', () => {
  expect(told('always', { isAway: false })).toEqual([titles[0], both[0], titles[1], both[1]]);
  expect(told('never')).toEqual([]);
  expect(told('auto', { onlyBell: true })).toEqual(['\x07', '\x07']);
});

it('the end of a turn that was watched is not told', () => {
  const written: string[] = [];
  const notifier = createNotifier({ write: (text) => written.push(text), mode: 'always' });
  notifier.noticed(done, { ...working, seconds: 1 });
  expect(written).toEqual(['\x1b]2;Toolwright\x07']);
});
