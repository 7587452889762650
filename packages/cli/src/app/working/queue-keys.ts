import type { UserEvent } from '../events.js';
import type { State } from '../state.js';

/** Enter while something runs: what was typed waits; on an empty line what waits is sent after the calls that run. */
export function queueIntent({ input, phase, working }: State): UserEvent | null {
  const text = input.text.trim();
  if (text !== '')
    return phase === 'cancelling'
      ? { type: 'hinted', hint: 'Still stopping. What you typed stays here.' }
      : { type: 'message-queued', text };
  return working.queue.some(({ steers }) => !steers) ? { type: 'queue-steered' } : null;
}

/** Esc cancels the calls that run, and once more the turn. */
export function cancelIntent({ calls, withModel, stopsCalls }: State): UserEvent {
  return withModel && calls.length > 0 && !stopsCalls
    ? { type: 'calls-cancelled' }
    : { type: 'turn-cancelled' };
}
