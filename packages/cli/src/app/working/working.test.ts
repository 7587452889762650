import { describe, expect, it } from 'vitest';
import { inputOf } from '../input-line.js';
import { intentOf } from '../intent.js';
import type { Key } from '../key.js';
import { reduce } from '../reduce.js';
import { safe } from '../safe-text.js';
import { initialState, type RunningCall, type State } from '../state.js';

const working: State = { ...initialState, phase: 'working', withModel: true };
const call: RunningCall = {
  id: 9,
  callId: 'a',
  description: '' as RunningCall['description'],
  output: '',
  since: 0,
};

function pressed(state: State, ...names: Exclude<Key['name'], 'text' | 'paste'>[]): State {
  return names.reduce((now, name) => {
    const event = intentOf(now, { name });
    return event ? reduce(now, event) : now;
  }, state);
}

const typed = (text: string, state = working): State => ({ ...state, input: inputOf(text) });

describe('what is written while the model works', () => {
  it('waits after Enter, and after Enter on the empty line steers the turn', () => {
    const queued = pressed(typed('then this'), 'enter');
    expect(queued).toMatchObject({
      input: { text: '' },
      phase: 'working',
      working: { queue: [{ text: 'then this', steers: false }] },
    });
    expect(pressed(queued, 'enter').working.queue).toEqual([{ text: 'then this', steers: true }]);
  });

  it('can be taken back with Up, and goes back into the line when the turn is cancelled', () => {
    const queued = pressed(typed('two', pressed(typed('one'), 'enter')), 'enter');
    const back = pressed(queued, 'up');
    expect(back).toMatchObject({ input: { text: 'two' }, working: { queue: [{ text: 'one' }] } });
    const cancelled = reduce(pressed(queued, 'escape'), { type: 'turn-ended' });
    expect(cancelled).toMatchObject({ phase: 'idle', input: { text: 'one\ntwo' }, working: { queue: [] } });
  });

  it('that was sent stands in the transcript as a prompt', () => {
    const queued = pressed(typed('use b.ts'), 'enter', 'enter');
    const sent = reduce(queued, { type: 'messages-sent', texts: ['use b.ts'] });
    expect(sent.blocks).toMatchObject([{ kind: 'prompt', text: 'use b.ts' }]);
    expect(sent.working.queue).toEqual([]);
  });

  it('is not taken back with Up while it goes to the model, and is in the line again where a hook refuses it', () => {
    const queued = pressed(typed('one'), 'enter', 'enter');
    const going = reduce(queued, { type: 'messages-going', texts: ['one'] });
    expect(intentOf(going, { name: 'up' })).not.toEqual({ type: 'message-taken-back' });
    const more = pressed(typed('two', going), 'enter');
    expect(pressed(more, 'up')).toMatchObject({
      input: { text: 'two' },
      working: { queue: [{ text: 'one' }] },
    });
    const refused = reduce(typed('more', going), { type: 'message-refused', text: 'one' });
    expect(refused).toMatchObject({ input: { text: 'one\nmore' }, working: { queue: [] }, blocks: [] });
  });

  it('waits for nothing while the turn is being stopped', () => {
    const { hint, input } = pressed(typed('x', { ...working, phase: 'cancelling' }), 'enter');
    expect([hint, input.text]).toEqual(['Still stopping. What you typed stays here.', 'x']);
  });
});

describe('Esc', () => {
  const asked = (callId: string, state: State): State =>
    reduce(state, {
      type: 'question-asked',
      question: { title: safe('Edit?'), callId, facts: [], choices: [], refusal: 'n' },
    });
  const open = (state: State): State =>
    reduce(state, { type: 'question-opened', size: { lines: 1, room: 9 }, hasLongOthers: false });
  const askedAbout = (callId: string, state: State): State => open(asked(callId, state));
  const ended = (callId: string) => ({
    type: 'call-end' as const,
    callId,
    tool: 'edit',
    display: '',
    error: { code: 'cancelled' as const, message: 'Cancelled.' },
  });
  const calling: State = { ...working, calls: [call] };
  it('cancels the call, and once more the turn', () => {
    expect(intentOf(calling, { name: 'escape' })).toEqual({ type: 'calls-cancelled' });
    const once = pressed(calling, 'escape');
    expect(once.hint).toContain('Press Esc again to stop the turn');
    expect(intentOf(once, { name: 'escape' })).toEqual({ type: 'turn-cancelled' });
  });

  it('cancels at a question the call that it is about, at the next one that one, and pressed twice the turn', () => {
    const first = askedAbout('a', calling);
    expect(intentOf(first, { name: 'escape' })).toEqual({ type: 'call-cancelled', callId: 'a' });
    const next = asked('b', reduce(pressed(first, 'escape'), { type: 'question-closed', label: null }));
    expect(intentOf(next, { name: 'escape' })).toEqual({ type: 'turn-cancelled' });
    expect(intentOf(open(next), { name: 'escape' })).toEqual({ type: 'call-cancelled', callId: 'b' });
  });

  it('at the question of one call is forgotten when that call ends, however many others run', () => {
    const others = ['b', 'c'].map((callId, index) => ({ ...call, id: 10 + index, callId }));
    const first = askedAbout('a', { ...calling, calls: [call, ...others] });
    const cancelled = reduce(pressed(first, 'escape'), { type: 'question-closed', label: null });
    expect(cancelled.hint).toContain('Press Esc again to stop the turn');
    const later = reduce(cancelled, { type: 'agent', event: ended('a') });
    expect([later.hint, intentOf(later, { name: 'escape' })]).toEqual(['', { type: 'calls-cancelled' }]);
    const another = reduce(cancelled, { type: 'agent', event: ended('b') });
    expect(intentOf(another, { name: 'escape' })).toEqual({ type: 'turn-cancelled' });
  });

  it('at the next question stops the turn, once the call of the first one has ended, and says so; not after an answer there', () => {
    const first = askedAbout('a', { ...calling, calls: [call, { ...call, id: 10, callId: 'b' }] });
    const cancelled = reduce(pressed(first, 'escape'), { type: 'question-closed', label: null });
    const next = askedAbout('b', reduce(cancelled, { type: 'agent', event: ended('a') }));
    expect(next.hint).toBe('Press Esc again to stop the turn.');
    expect(intentOf(next, { name: 'escape' })).toEqual({ type: 'turn-cancelled' });
    const answered = reduce(next, { type: 'question-closed', label: 'yes' });
    expect(intentOf(answered, { name: 'escape' })).toEqual({ type: 'calls-cancelled' });
  });

  it('at the question of a call inside a subagent is forgotten when that question is withdrawn', () => {
    const cancelled = pressed(askedAbout('inner', calling), 'escape');
    expect(intentOf(cancelled, { name: 'escape' })).toEqual({ type: 'turn-cancelled' });
    const withdrawn = reduce(cancelled, { type: 'question-closed', label: null });
    expect([withdrawn.hint, intentOf(withdrawn, { name: 'escape' })]).toEqual([
      '',
      { type: 'calls-cancelled' },
    ]);
  });

  it('cancels the turn at once where no call runs, and a command of the user', () => {
    expect(intentOf(working, { name: 'escape' })).toEqual({ type: 'turn-cancelled' });
    expect(intentOf({ ...calling, withModel: false }, { name: 'escape' })).toEqual({
      type: 'turn-cancelled',
    });
  });
});

it('every request is counted: the context as the conversation fills it, tokens and cost in sum', () => {
  const usage = { inputTokens: 1_000, outputTokens: 100 };
  const report = (purpose?: string) => ({
    type: 'agent' as const,
    event: { type: 'usage-report' as const, provider: 'openai', model: 'fake', usage, cost: 0.003, purpose },
  });
  const side = report('agent explorer');
  side.event.usage = { inputTokens: 5_000, outputTokens: 0 };
  const { status } = reduce(reduce(reduce(working, report()), report()), side).working;
  expect(status).toMatchObject({ contextTokens: 1_100, tokens: 7_200 });
  expect(status.cost).toBeCloseTo(0.009, 6);
});
