import { randomUUID } from 'node:crypto';
import { ToolError } from '@toolwright/machine/base/errors.js';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import { oneAtATime } from '@toolwright/machine/base/one-at-a-time.js';
import { unlessAborted, withinDeadline } from '@toolwright/machine/host/deadline.js';
import type { Clock } from '@toolwright/machine/host/host.js';
import type { CallerAnswers, CallerRequests } from '../../tools/caller/caller.js';
import type { Hearer } from './live-reports.js';

export type Ask = (requests: CallerRequests, signal: AbortSignal) => Promise<CallerAnswers>;

/** Begins a call, or other work that may ask its client: `ask` reaches the client, `hearer` gives whoever waits for the call now. */
export type Start = (given: { ask: Ask; signal: AbortSignal; hearer(): Hearer }) => Promise<object>;

export type CallState =
  | { kind: 'working' }
  /** An answer must bring the ticket, which is good for this question alone. */
  | { kind: 'asking'; ticket: string; requests: CallerRequests }
  | { kind: 'ended'; result: object }
  | { kind: 'failed'; error: unknown };

export interface UnderWayOptions {
  clock: Clock;
  /** A question without an answer fails after this time. */
  questionLimitMs: number;
}

interface Question {
  requests: CallerRequests;
  answers: CallerAnswers;
  settle(answers: CallerAnswers): void;
  fail(error: unknown): void;
}

/** A call that outlives the request that began it: it can wait for answers, and be looked at again. */
export class CallUnderWay {
  readonly #options: UnderWayOptions;
  readonly #ending = new AbortController();
  readonly #listeners = new Set<() => void>();
  #state: CallState = { kind: 'working' };
  #question: Question | null = null;
  #hearer: Hearer = {};

  constructor(start: Start, options: UnderWayOptions) {
    this.#options = options;
    const oneQuestion = oneAtATime();
    const ask: Ask = (requests, signal) => oneQuestion(() => this.#ask(requests, signal));
    start({ ask, signal: this.#ending.signal, hearer: () => this.#hearer }).then(
      (result) => this.#become({ kind: 'ended', result }),
      (error: unknown) => this.#become({ kind: 'failed', error }),
    );
  }

  get state(): CallState {
    return this.#state;
  }

  /** The next state but `working`; rejects when the signal aborts first. */
  async whenSettled(signal: AbortSignal): Promise<CallState> {
    const settled = new Promise<CallState>((resolve) => {
      const resolveWhenSettled = (): void => {
        if (this.#state.kind === 'working') return;
        this.#listeners.delete(resolveWhenSettled);
        resolve(this.#state);
      };
      this.#listeners.add(resolveWhenSettled);
      resolveWhenSettled();
    });
    return unlessAborted(settled, signal);
  }

  /** Takes answers to the question that waits. The call goes on once every request has one; the others are asked anew, with another ticket. */
  answer(given: CallerAnswers): void {
    const question = this.#question;
    if (!question) return;
    const open = Object.keys(question.requests).filter((name) => !(name in question.answers));
    const taken = open.filter((name) => name in given);
    for (const name of taken) question.answers[name] = given[name] as JsonObject;
    const left = open.filter((name) => !taken.includes(name));
    if (left.length === 0) {
      question.settle(question.answers);
      this.#become({ kind: 'working' });
    } else if (taken.length > 0) {
      const requests = Object.fromEntries(left.map((name) => [name, question.requests[name]!]));
      this.#become({ kind: 'asking', ticket: randomUUID(), requests });
    }
  }

  /** Fails the question that waits, because it could not be put to anybody. */
  failQuestion(error: unknown): void {
    if (!this.#question) return;
    this.#question.fail(error);
    this.#become({ kind: 'working' });
  }

  cancel(reason: unknown): void {
    this.#ending.abort(reason);
  }

  /** Sends progress to this hearer from now on. */
  setHearer(hearer: Hearer): void {
    this.#hearer = hearer;
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  #become(next: CallState): void {
    // A question that outlives its call, as one of a tool that was given up, does not open the call again.
    if (this.#state.kind === 'ended' || this.#state.kind === 'failed') return;
    this.#state = next;
    for (const listener of [...this.#listeners]) listener();
  }

  async #ask(requests: CallerRequests, signal: AbortSignal): Promise<CallerAnswers> {
    signal.throwIfAborted();
    const { clock, questionLimitMs: ms } = this.#options;
    const answered = new Promise<CallerAnswers>((settle, fail) => {
      this.#question = { requests, answers: {}, settle, fail };
    });
    this.#become({ kind: 'asking', ticket: randomUUID(), requests });
    try {
      const answers = await withinDeadline(answered, { ms, clock, signal });
      if (answers) return answers;
      signal.throwIfAborted();
      throw new ToolError('timeout', 'nobody answered the question in time');
    } finally {
      this.#question = null;
      this.#become({ kind: 'working' });
    }
  }
}
