import type { AgentEvent } from '../agent/events.js';
import type { CallQuestion } from '../question/question.js';

/** A running session's data about itself, for whoever looks at it. */
export interface LiveAbout {
  session: string;
  workspace: string;
  journal: string;
  /** The front end: `interactive`, `headless`, `web` … */
  front: string;
  pid: number;
  provider: string;
  model: string;
  mode: string;
  apart?: string;
}

/** A question of a running session, as other programs see it. */
export interface LiveQuestion {
  /** Names exactly this question: an answer that carries another one is refused. */
  digest: string;
  callId: string;
  tool: string;
  question: CallQuestion;
}

/** An answer from elsewhere: one of the question's own answers by its index. */
export interface LiveAnswer {
  digest: string;
  answer: number;
  reason?: string;
  written?: string;
  limit?: { uses: number } | { forMs: number } | null;
}

/** An event that a running session tells other programs. */
export type LiveEvent =
  | Exclude<AgentEvent, { type: 'call-ask' }>
  | { type: 'question-open'; question: LiveQuestion }
  /** `by`: where it was answered. */
  | { type: 'question-close'; digest: string; by: 'here' | 'elsewhere' };

/** The part of a session that its journal does not have yet. */
export interface LiveTail {
  working: boolean;
  text: string;
  thinking: string;
  /** The end of what each running call has printed. */
  outputs: Record<string, string>;
  question: LiveQuestion | null;
  /** Sentences of the program since the last prompt. */
  notices: string[];
}

export const emptyTail: LiveTail = {
  working: false,
  text: '',
  thinking: '',
  outputs: {},
  question: null,
  notices: [],
};

const MOST_OUTPUT = 64 * 1024;
const MOST_NOTICES = 20;

/** The tail after one more event. What the journal has got by then is dropped from it. */
export function tailAfter(tail: LiveTail, event: LiveEvent): LiveTail {
  switch (event.type) {
    case 'session-start':
      return { ...tail, working: true };
    case 'text-delta':
      return { ...tail, working: true, text: tail.text + event.text };
    case 'thinking-delta':
      return { ...tail, working: true, thinking: tail.thinking + event.text };
    case 'answer-restart':
      return { ...tail, text: '', thinking: '', notices: noted(tail, event.message) };
    case 'notice':
      return event.passing ? tail : { ...tail, notices: noted(tail, event.message) };
    case 'call-start':
      return {
        ...tail,
        working: true,
        text: '',
        thinking: '',
        outputs: { ...tail.outputs, [event.callId]: '' },
      };
    case 'call-update': {
      const output = `${tail.outputs[event.callId] ?? ''}${event.delta}`.slice(-MOST_OUTPUT);
      return { ...tail, outputs: { ...tail.outputs, [event.callId]: output } };
    }
    case 'call-end': {
      const { [event.callId]: _ended, ...outputs } = tail.outputs;
      return { ...tail, outputs };
    }
    case 'question-open':
      return { ...tail, question: event.question };
    case 'question-close':
      return tail.question?.digest === event.digest ? { ...tail, question: null } : tail;
    case 'result':
      return {
        ...emptyTail,
        notices: event.result.error ? noted(tail, event.result.error.message) : tail.notices,
      };
    case 'usage-report':
      return tail;
  }
}

function noted({ notices }: LiveTail, message: string): string[] {
  return [...notices, message].slice(-MOST_NOTICES);
}
