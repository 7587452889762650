import type { RetriedRequest, Usage } from '../model/model.js';
import type { CallEvent, ConfirmRequest, Refusal } from '../scheduler/call.js';
import type { UsageReport } from './spending/spending.js';

/** An event that an agent tells while it works. */
export type AgentEvent =
  | {
      type: 'session-start';
      sessionId: string;
      provider: string;
      model: string;
      workspace: string;
      mode: string;
      /** The id of the session apart, where it works apart. */
      apart?: string;
    }
  | { type: 'text-delta'; text: string }
  | { type: 'thinking-delta'; text: string }
  /** `passing`: it is said of a moment, and done with when something else comes. `retry`: a request is tried again. */
  | { type: 'notice'; message: string; passing?: true; retry?: RetriedRequest }
  /** The answer broke off and comes again: `text`, all that was said of it so far, is taken back. */
  | { type: 'answer-restart'; text: string; message: string; retry?: RetriedRequest }
  /** Tokens of one request. `purpose` is there where it was not for the next answer of the conversation. */
  | ({ type: 'usage-report' } & UsageReport)
  | CallEvent
  | { type: 'result'; result: AgentResult };

/** Why an agent stopped. */
export type EndReason =
  | 'done'
  | 'turn-limit'
  | 'call-limit'
  | 'token-limit'
  | 'time-limit'
  | 'cost-limit'
  /** Questions wait for an answer: `parked` has them. */
  | 'parked'
  | 'cancelled'
  | 'failed';

/** A call that was refused. */
export interface Denial extends Refusal {
  callId: string;
  tool: string;
}

/** The end of a prompt, and what it took. */
export interface AgentResult {
  reason: EndReason;
  /** The text of the last answer, as far as it came. */
  response: string;
  turns: number;
  calls: number;
  /** Tokens of the prompt and of all that worked for it: subagents, summaries, questions over pages and of servers. */
  usage: Usage;
  /** Dollars, as far as prices are known. */
  cost?: number | undefined;
  /** Milliseconds of work, where they are limited. */
  ms?: number | undefined;
  denials: Denial[];
  /** Ids of the change sets that were committed. */
  changes: string[];
  /** `retryAfterMs`: how long the provider wants to be left alone. */
  error?: { kind: string; message: string; retryAfterMs?: number; provider?: string };
  /** Questions about calls that were put off until somebody answers. */
  parked?: ConfirmRequest[];
}
