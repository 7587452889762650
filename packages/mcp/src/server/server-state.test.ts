import { expect, it } from 'vitest';
import { nextState, type ServerEvent, type ServerState, stepFor } from './server-state.js';

const states = {
  'not started': { at: 'not started' },
  starting: { at: 'starting' },
  ready: { at: 'ready', session: 'first' },
  lost: { at: 'lost', session: 'first' },
  stopping: { at: 'stopping' },
  failed: { at: 'failed', error: 'no such program', retryAt: 10 },
  closed: { at: 'closed', error: 'was shut down' },
} satisfies Record<ServerState<string>['at'], ServerState<string>>;

const events = {
  start: { kind: 'start' },
  opened: { kind: 'opened', session: 'first' },
  failed: { kind: 'failed', error: 'no such program', retryAt: 10 },
  ended: { kind: 'ended', session: 'first' },
  stop: { kind: 'stop' },
  stopped: { kind: 'stopped' },
  forgive: { kind: 'forgive' },
  close: { kind: 'close', error: 'was shut down' },
} satisfies Record<ServerEvent<string>['kind'], ServerEvent<string>>;

/** Each transition; every other pair of state and event leaves the state as it is. */
const transitions: Record<keyof typeof states, Partial<Record<keyof typeof events, keyof typeof states>>> = {
  'not started': { start: 'starting', close: 'closed' },
  starting: { opened: 'ready', failed: 'failed', close: 'closed' },
  ready: { ended: 'lost', stop: 'stopping', close: 'closed' },
  lost: { start: 'starting', stop: 'stopping', close: 'closed' },
  stopping: { stopped: 'not started', close: 'closed' },
  failed: { start: 'starting', forgive: 'not started', close: 'closed' },
  closed: {},
};

const pairs = (Object.keys(states) as (keyof typeof states)[]).flatMap((state) =>
  (Object.keys(events) as (keyof typeof events)[]).map(
    (event) => [state, event, transitions[state][event] ?? state] as const,
  ),
);

it.each(pairs)('a server that is %s is, after the event "%s", %s', (state, event, after) => {
  expect(nextState(states[state], events[event])).toEqual(states[after]);
});

it('the end of an earlier session does not lose the present one', () => {
  const state: ServerState<string> = { at: 'ready', session: 'second' };
  expect(nextState(state, { kind: 'ended', session: 'first' })).toBe(state);
});

it.each([
  ['not started', 0, { do: 'start' }],
  ['starting', 0, { do: 'wait' }],
  ['ready', 0, { do: 'use', session: 'first' }],
  ['lost', 0, { do: 'start' }],
  ['stopping', 0, { do: 'wait' }],
  ['failed', 9, { do: 'refuse', error: 'no such program' }],
  ['failed', 10, { do: 'start' }],
  ['closed', 0, { do: 'refuse', error: 'was shut down' }],
] as const)('whoever wants a server that is %s at the time %i gets %j', (state, now, step) => {
  expect(stepFor(states[state], now)).toEqual(step);
});
