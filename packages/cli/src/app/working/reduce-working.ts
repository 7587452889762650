import { withEntry } from '../history.js';
import { emptyInput, type InputLine, inputOf } from '../input-line.js';
import { safe } from '../safe-text.js';
import { type State, withBlock } from '../state.js';
import type { WorkingAction, WorkingNews } from './events.js';
import { type QueuedMessage, takenBack, type Working } from './working.js';

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
      const last = takenBack(working);
      const left = working.queue.filter((message) => message !== last);
      return last ? { ...withQueue(state, left), input: inputOf(last.text) } : state;
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
    case 'messages-going':
      return withGoing(state, event.texts);
    case 'message-refused': {
      const left = working.queue.filter(({ text }) => text !== event.text);
      return { ...withQueue(state, left), input: lineWith([event.text], state) };
    }
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

/** Marks the messages that are made ready for the model now. */
export function withGoing(state: State, texts: readonly string[]): State {
  const { queue } = state.working;
  if (queue.length === 0) return state;
  return withQueue(
    state,
    queue.map((message) => ({ ...message, isGoing: texts.includes(message.text) })),
  );
}

/** A turn that was cancelled sends nothing more: what waited is in the line again. */
export function withoutQueue(state: State): State {
  const { queue } = state.working;
  if (queue.length === 0) return state;
  return {
    ...withQueue(state, []),
    input: lineWith(
      queue.map(({ text }) => text),
      state,
    ),
  };
}

/** The line with these texts before what is typed there. */
function lineWith(texts: readonly string[], { input }: State): InputLine {
  return inputOf([...texts, ...(input.text === '' ? [] : [input.text])].join('\n'));
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
