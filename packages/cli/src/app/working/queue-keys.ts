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

/** Esc cancels the calls that run, at a question the call that it is about, and once more the turn. */
export function cancelIntent({ calls, question, withModel, stopsCalls, escaped }: State): UserEvent {
  const isSecond = stopsCalls !== null || (escaped && question !== null);
  if (!withModel || calls.length === 0 || isSecond) return { type: 'turn-cancelled' };
  const callId = question?.isOpen ? question.question.callId : undefined;
  return callId === undefined ? { type: 'calls-cancelled' } : { type: 'call-cancelled', callId };
}
