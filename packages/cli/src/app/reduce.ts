import type { QuestionAction } from './asking/events.js';
import { withQuestionEvent } from './asking/reduce-question.js';
import type { AppEvent, UserEvent } from './events.js';
import { withEntry } from './history.js';
import { emptyInput } from './input-line.js';
import { meaningOf } from './line-meaning.js';
import { withAgentEvent } from './reduce-agent.js';
import { safe } from './safe-text.js';
import { type State, withBlock, withCancelled, withoutAnswer, withoutLooks } from './state.js';
import { typingAfter, withTypingEvent } from './typing/reduce-typing.js';
import type { WorkingAction } from './working/events.js';
import { withGoing, withoutQueue, withWorkingEvent } from './working/reduce-working.js';

/** The whole state of a conversation, one event at a time. */
export function reduce(state: State, event: AppEvent): State {
  switch (event.type) {
    case 'agent':
      return withAgentEvent(state, event.event);
    case 'ready':
      return { ...state, phase: 'idle' };
    case 'session-closed':
      return { ...ended(withoutLooks(withoutAnswer(state))), phase: 'starting', isApart: false };
    case 'apart-began':
      return { ...state, isApart: true };
    case 'turn-ended':
      // A question that is still open is a server's: it stays until it is answered or withdrawn.
      return ended(withoutLooks(withoutAnswer(state)));
    case 'block-added':
      return withBlock(state, event.block);
    case 'history-loaded':
      return withEarlier(state, event.entries);
    case 'menu-found':
    case 'picker-opened':
    case 'picker-previewed':
    case 'picker-closed':
    case 'vim-chosen':
    case 'line-replaced':
      return withTypingEvent(state, event);
    case 'message-queued':
    case 'queue-steered':
    case 'message-taken-back':
    case 'calls-cancelled':
    case 'call-cancelled':
    case 'status-changed':
    case 'messages-going':
    case 'message-refused':
    case 'messages-sent':
    case 'queue-shifted':
      return withWorkingEvent(state, event);
    case 'ticked':
      return { ...state, seconds: event.seconds };
    case 'question-asked':
    case 'question-opened':
    case 'question-measured':
    case 'question-turned':
    case 'question-scrolled':
    case 'question-unfolded':
    case 'question-closed':
      return withQuestionEvent(state, event);
    default:
      return withUserEvent(state, event);
  }
}

function withEarlier(state: State, entries: readonly string[]): State {
  return { ...state, history: { ...state.history, entries: [...entries, ...state.history.entries] } };
}

function ended(state: State): State {
  const idle: State = {
    ...withCancelled({ ...state, calls: [] }),
    phase: 'idle',
    callsOpen: false,
    isThinking: false,
    passing: '',
    stopsCalls: null,
    escaped: false,
  };
  return state.phase === 'cancelling' ? withoutQueue(idle) : withGoing(idle, []);
}

function unfolded(state: State, id: number): State {
  const block = state.blocks.find((each) => each.id === id);
  const calls = block?.kind === 'looks' ? block.calls : block?.kind === 'call' ? [block] : [];
  const shown = calls.reduce((now, { description, end: { all, ...end } }) => {
    const whole = { ...end, lines: all ?? end.lines, more: 0, last: [], isWhole: true };
    return withBlock(now, { kind: 'call', description, end: whole });
  }, state);
  return { ...shown, unfolded: id };
}

function withUserEvent(state: State, event: Exclude<UserEvent, QuestionAction | WorkingAction>): State {
  const calm = { ...state, hint: '', quitAsked: false };
  switch (event.type) {
    case 'input-changed':
      return {
        ...calm,
        input: event.input,
        typing: { ...(event.typing ?? typingAfter(state, event.input)), menu: null },
        history: event.history ?? { ...state.history, back: 0, draft: '' },
      };
    case 'prompt-submitted':
      return withBlock(
        {
          ...calm,
          phase: 'working',
          withModel: ['prompt', 'server-prompt'].includes(meaningOf(event.text).kind),
          seconds: 0,
          passing: '',
          unfolded: 0,
          input: emptyInput,
          typing: { ...state.typing, undo: [], last: null, menu: null },
          history: withEntry(state.history, event.text),
        },
        { kind: 'prompt', text: safe(event.text) },
      );
    case 'reply-changed':
      return state.question ? { ...calm, question: { ...state.question, reply: event.reply } } : calm;
    case 'hinted':
      return { ...state, hint: event.hint, quitAsked: event.quitAsked ?? false };
    case 'reply-rejected':
      // Text that was no answer must not become part of the next one.
      return state.question
        ? { ...calm, hint: event.hint, question: { ...state.question, reply: emptyInput } }
        : calm;
    case 'turn-cancelled':
      return { ...calm, phase: state.phase === 'working' ? 'cancelling' : state.phase };
    case 'calls-opened':
      return { ...calm, callsOpen: !state.callsOpen };
    case 'unfold-asked':
      return unfolded(calm, event.id);
    case 'reply-given':
    case 'completion-asked':
    case 'screen-cleared':
    case 'suspended':
    case 'quit':
      return calm;
    default:
      return withTypingEvent(calm, event);
  }
}
