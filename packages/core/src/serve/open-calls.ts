import { randomUUID } from 'node:crypto';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Clock } from '@toolwright/machine/host/host.js';
import type { ConfirmRequest, Outcome } from '../scheduler/call.js';
import type { Progress } from './progress.js';

export type Confirm = (request: ConfirmRequest, signal: AbortSignal) => Promise<Outcome>;

/** A request of the client that waits for the call: when it is withdrawn, so is the call. */
export interface WaitingRequest {
  signal: AbortSignal;
  /** Set only where the client wants to hear of progress. */
  tell?(progress: Progress): void;
}

/** Runs a call, asking through `confirm`. */
export type Start = (confirm: Confirm, leg: WaitingRequest) => Promise<CallToolResult>;

/** The state of a call: it has its result, or waits for an answer that must name this ticket. */
export type Step = { result: CallToolResult } | { ticket: string; request: ConfirmRequest };

/**
 * Calls of clients that are asked by an answer and come back with theirs in a new request. The call waits meanwhile,
 * with all that it has planned.
 */
export interface OpenCalls {
  begin(what: string, start: Start, leg: WaitingRequest): Promise<Step>;
  /** Null when nothing waits under this ticket, or the client now speaks of another call. */
  find(ticket: string, what: string): OpenCall | null;
}

export interface OpenCall {
  readonly request: ConfirmRequest;
  answer(outcome: Outcome, leg: WaitingRequest): Promise<Step>;
  /** Asks the same once more. */
  again(): Step;
}

interface Question {
  request: ConfirmRequest;
  settle(outcome: Outcome): void;
}

export function createOpenCalls(clock: Clock, { limitMs }: { limitMs: number }): OpenCalls {
  const waiting = new Map<string, { what: string; call: OpenCall }>();

  /** Gives a ticket; without an answer in time the call is refused. */
  function wait(
    what: string,
    { request, settle }: Question,
    step: (leg: WaitingRequest) => Promise<Step>,
  ): Step {
    const ticket = randomUUID();
    const answered = new AbortController();
    const settled = (outcome: Outcome): void => {
      waiting.delete(ticket);
      answered.abort();
      settle(outcome);
    };
    const again = (): Step => ({ ticket, request });
    const answer: OpenCall['answer'] = (outcome, leg) => {
      const next = step(leg);
      settled(outcome);
      return next;
    };
    waiting.set(ticket, { what, call: { request, again, answer } });
    const reason = 'nobody answered the question in time';
    clock.sleep(limitMs, answered.signal).then(
      () => settled({ kind: 'cancel', reason, nobodyToAsk: true }),
      () => undefined,
    );
    return again();
  }

  return {
    async begin(what, start, first) {
      const flow = createFlow(start);
      const step = async (leg: WaitingRequest): Promise<Step> => {
        const next = await flow(leg);
        return 'result' in next ? next : wait(what, next, step);
      };
      return step(first);
    },
    find(ticket, what) {
      const found = waiting.get(ticket);
      return found?.what === what ? found.call : null;
    },
  };
}

/** Follows a call from one question to the next. */
function createFlow(start: Start): (leg: WaitingRequest) => Promise<Question | { result: CallToolResult }> {
  const controller = new AbortController();
  let current: WaitingRequest | null = null;
  let ask: (question: Question) => void = () => undefined;
  const confirm: Confirm = (request, signal) =>
    new Promise((settle, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      ask({ request, settle });
    });
  let result: Promise<{ result: CallToolResult }> | null = null;
  return async (leg) => {
    current = leg;
    const asked = new Promise<Question>((resolve) => {
      ask = resolve;
    });
    const stop = (): void => controller.abort(leg.signal.reason);
    if (leg.signal.aborted) stop();
    leg.signal.addEventListener('abort', stop, { once: true });
    result ??= start(confirm, {
      signal: controller.signal,
      tell: (progress) => current?.tell?.(progress),
    }).then((ended) => ({ result: ended }));
    try {
      return await Promise.race([result, asked]);
    } finally {
      leg.signal.removeEventListener('abort', stop);
    }
  };
}
