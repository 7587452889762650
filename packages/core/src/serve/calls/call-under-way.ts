import { randomUUID } from 'node:crypto';
import { ToolError } from '@toolwright/machine/base/errors.js';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import { unlessAborted } from '@toolwright/machine/host/deadline.js';
import type { Clock } from '@toolwright/machine/host/host.js';
import { oneAtATime } from '../../scheduler/call.js';
import type { CallerAnswers, CallerRequests } from '../../tools/caller.js';
import type { Hearer } from './live-reports.js';

export type Ask = (requests: CallerRequests, signal: AbortSignal) => Promise<CallerAnswers>;

/** Runs a call, or whatever else a client may be asked about; `ask` reaches the client, `hearer` whoever waits for the call at that time. */
export type Start = (given: { ask: Ask; signal: AbortSignal; hearer(): Hearer }) => Promise<object>;

export type CallState =
  | { kind: 'working' }
  /** The ticket is good for this question alone. */
  | { kind: 'asking'; ticket: string; requests: CallerRequests }
  | { kind: 'ended'; result: object }
  | { kind: 'failed'; error: unknown };

/** A call that outlives the request that began it: it can wait for answers, and be looked at again. */
export interface CallUnderWay {
  state(): CallState;
  /** The next state but `working`; rejects when the signal aborts first. */
  whenSettled(signal: AbortSignal): Promise<CallState>;
  /** Takes answers to the question that waits; it goes on once every request has one. */
  answer(answers: CallerAnswers): void;
  cancel(reason: unknown): void;
  /** Progress goes to this one from now on. */
  setHearer(hearer: Hearer): void;
  onChange(listener: () => void): void;
}

export interface UnderWayOptions {
  clock: Clock;
  /** A question without an answer fails after this time. */
  questionLimitMs: number;
}

interface Question {
  requests: CallerRequests;
  answers: CallerAnswers;
  settle(answers: CallerAnswers): void;
}

export function beginCall(start: Start, { clock, questionLimitMs }: UnderWayOptions): CallUnderWay {
  const controller = new AbortController();
  const listeners = new Set<() => void>();
  const oneQuestion = oneAtATime();
  let state: CallState = { kind: 'working' };
  let question: Question | null = null;
  let hearer: Hearer = {};

  function become(next: CallState): void {
    state = next;
    for (const listener of [...listeners]) listener();
  }

  async function askOnce(requests: CallerRequests, signal: AbortSignal): Promise<CallerAnswers> {
    const over = new AbortController();
    const answered = new Promise<CallerAnswers>((settle) => {
      question = { requests, answers: {}, settle };
    });
    const tooLate = clock.sleep(questionLimitMs, over.signal).then(() => {
      throw new ToolError('timeout', 'nobody answered the question in time');
    });
    tooLate.catch(() => undefined);
    become({ kind: 'asking', ticket: randomUUID(), requests });
    try {
      return await unlessAborted(Promise.race([answered, tooLate]), signal);
    } finally {
      question = null;
      over.abort('over');
      become({ kind: 'working' });
    }
  }

  const ask: Ask = (requests, signal) => oneQuestion(() => askOnce(requests, signal));
  start({ ask, signal: controller.signal, hearer: () => hearer }).then(
    (result) => become({ kind: 'ended', result }),
    (error: unknown) => become({ kind: 'failed', error }),
  );

  return {
    state: () => state,
    async whenSettled(signal) {
      const settled = new Promise<CallState>((resolve) => {
        const look = (): void => {
          if (state.kind === 'working') return;
          listeners.delete(look);
          resolve(state);
        };
        listeners.add(look);
        look();
      });
      return unlessAborted(settled, signal);
    },
    answer(answers) {
      if (question) takeAnswers(question, answers, become);
    },
    cancel: (reason) => controller.abort(reason),
    setHearer(next) {
      hearer = next;
    },
    onChange: (listener) => void listeners.add(listener),
  };
}

/** What is still unanswered is asked anew, under another ticket. */
function takeAnswers(question: Question, given: CallerAnswers, become: (next: CallState) => void): void {
  const open = Object.keys(question.requests).filter((name) => !(name in question.answers));
  const taken = open.filter((name) => name in given);
  for (const name of taken) question.answers[name] = given[name] as JsonObject;
  const left = open.filter((name) => !taken.includes(name));
  if (left.length === 0) {
    question.settle(question.answers);
    become({ kind: 'working' });
  } else if (taken.length > 0) {
    const requests = Object.fromEntries(left.map((name) => [name, question.requests[name]!]));
    become({ kind: 'asking', ticket: randomUUID(), requests });
  }
}
