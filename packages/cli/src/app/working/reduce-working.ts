import { withEntry } from '../history.js';
import { emptyInput, inputOf } from '../input-line.js';
import { safe } from '../safe-text.js';
import { type State, withBlock } from '../state.js';
import type { WorkingAction, WorkingNews } from './events.js';
import type { QueuedMessage, Working } from './working.js';

export function withWorkingEvent(state: State, event: WorkingAction | WorkingNews): State {
  const { working } = state;
  switch (event.type) {
    case 'message-queued':
      return {
        ...withQueue(state, [...working.queue, { text: event.text, steers: false }]),
        input: emptyInput,
        history: withEntry(state.history, event.text),
        hint: '',
      };
    case 'queue-steered':
      return withQueue(
        state,
        working.queue.map((message) => ({ ...message, steers: true })),
      );
    case 'message-taken-back': {
      const last = working.queue.at(-1);
      return last ? { ...withQueue(state, working.queue.slice(0, -1)), input: inputOf(last.text) } : state;
    }
    case 'queue-shifted':
      return withQueue(state, working.queue.slice(1));
    case 'calls-cancelled':
    case 'call-cancelled':
      return {
        ...state,
        stopsCalls: { callId: event.type === 'call-cancelled' ? event.callId : undefined },
        hint: 'Cancelling. Press Esc again to stop the turn.',
      };
    case 'status-changed':
      return { ...state, working: { ...working, status: { ...working.status, ...event.status } } };
    case 'messages-sent': {
      const left = working.queue.filter(({ text }) => !event.texts.includes(text));
      return event.texts.reduce(
        (now, text) => withBlock(now, { kind: 'prompt', text: safe(text) }),
        withQueue(state, left),
      );
    }
  }
}

function withQueue(state: State, queue: readonly QueuedMessage[]): State {
  return { ...state, working: { ...state.working, queue } };
}

/** A turn that was cancelled sends nothing more: what waited is in the line again. */
export function withoutQueue(state: State): State {
  const { queue } = state.working;
  if (queue.length === 0) return state;
  const texts = [...queue.map(({ text }) => text), ...(state.input.text === '' ? [] : [state.input.text])];
  return { ...withQueue(state, []), input: inputOf(texts.join('\n')) };
}

interface UsedTokens {
  inputTokens: number;
  outputTokens: number;
  cachedTokens?: number | undefined;
}

/** Adds the tokens of a request; one of a subagent or for a summary (`purpose`) fills no part of the context. */
export function withUsage(
  working: Working,
  { usage, cost, purpose }: { usage: UsedTokens; cost?: number | undefined; purpose?: string | undefined },
): Working {
  const { status } = working;
  const used = usage.inputTokens + usage.outputTokens;
  return {
    ...working,
    status: {
      ...status,
      contextTokens: purpose === undefined ? used : status.contextTokens,
      tokens: status.tokens + used,
      cost: status.cost + (cost ?? 0),
    },
  };
}
