import { emptyInput, inputOf } from '../input-line.js';
import type { Question } from '../question.js';
import { safe } from '../safe-text.js';
import { type State, withBlock, withoutAnswer, withoutLooks, withoutStop } from '../state.js';
import type { QuestionAction, QuestionNews } from './events.js';
import { isLong, newQuestion, type OpenQuestion, type QuestionSize } from './open-question.js';

/** A question from the moment it is asked until it is answered. */
export function withQuestionEvent(state: State, event: QuestionNews | QuestionAction): State {
  if (event.type === 'question-asked') return withAsked(withoutLooks(withoutAnswer(state)), event.question);
  const { question } = state;
  if (!question) return state;
  switch (event.type) {
    case 'question-opened':
    case 'question-measured': {
      const { size, hasLongOthers } = event;
      const isOpen = question.isOpen || event.type === 'question-opened';
      // Esc at the question before was about that one.
      const calm = isOpen ? withoutStop(state) : state;
      return { ...calm, question: { ...measured(question, size), hasLongOthers, isOpen } };
    }
    case 'question-turned':
      return {
        ...state,
        hint: '',
        question: {
          ...question,
          page: event.page,
          reply: event.text === undefined ? emptyInput : inputOf(event.text),
        },
      };
    case 'question-scrolled':
      return { ...state, hint: '', question: scrolled(question, question.scroll + event.by) };
    case 'question-unfolded': {
      const { unfolded, ...folded } = question.question;
      return { ...state, question: { ...question, question: { ...folded, text: unfolded ?? folded.text } } };
    }
    case 'question-closed': {
      const { stopsCalls, hint } = afterQuestion(state, question);
      const closed = { ...state, stopsCalls, escaped: false, question: null, hint: stopsCalls ? hint : '' };
      if (event.label === null) return closed;
      return withBlock(closed, { kind: 'replied', title: question.question.title, label: safe(event.label) });
    }
  }
}

/** A call of a subagent is none of the calls that run here: its question is all that tells of its end. */
function afterQuestion(state: State, { question }: OpenQuestion): State {
  const { callId } = state.stopsCalls ?? {};
  const isKnown = callId === undefined || state.calls.some((call) => call.callId === callId);
  return isKnown || callId !== question.callId ? state : withoutStop(state);
}

function withAsked(state: State, question: Question): State {
  return {
    ...state,
    nextId: state.nextId + 1,
    hint: state.escaped ? 'Press Esc again to stop the turn.' : '',
    quitAsked: false,
    question: newQuestion(state.nextId, question),
  };
}

function measured(question: OpenQuestion, size: QuestionSize): OpenQuestion {
  return scrolled({ ...question, size }, question.scroll);
}

function scrolled(question: OpenQuestion, wanted: number): OpenQuestion {
  const most = Math.max(0, question.size.lines - question.size.room);
  const scroll = Math.max(0, Math.min(wanted, most));
  return { ...question, scroll, wasSeen: question.wasSeen || !isLong(question) || scroll === most };
}
