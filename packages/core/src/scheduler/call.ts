import type { FunctionResponse, PartListUnion } from '@toolwright/machine/base/content.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import type { OneAtATime } from '@toolwright/machine/base/one-at-a-time.js';
import type { Clock, Ids, Log } from '@toolwright/machine/host/host.js';
import type { NewErrors } from '../languages/describe-errors.js';
import type { Grant, GrantOffer } from '../permission/grants.js';
import type { Permission } from '../permission/permission.js';
import type { Rule } from '../permission/rules.js';
import type { AskHooks } from '../pieces/hooks/ask-hooks.js';
import type { CallError, CallRecord } from '../session/call-record.js';
import type { Caller } from '../tools/caller/caller.js';
import type { AfterCall } from '../tools/code/after-call.js';
import type { FalseClaim, FalseClaims } from '../tools/definition/false-claims.js';
import type { Display } from '../tools/display/display.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import type { ConfirmationDetails, MakeInnerCalls, ScriptValue, ToolResult } from '../tools/tools.js';
import type { Alarms } from './alarms.js';
import type { RepeatedCalls } from './repeated-calls.js';

/** A question to the user: what would happen, and what "always" could mean. Plain data. */
export interface ConfirmRequest {
  callId: string;
  tool: string;
  description: string;
  details: ConfirmationDetails;
  reason: string;
  /** The special point about this call; absent where the mode asks about every call of its kind. */
  brief?: string;
  offers: GrantOffer[];
  /** The rule that a lasting no could mean; absent where none would say just this. */
  never?: GrantOffer;
  modifiable: boolean;
  /** The number of times that the user has modified this call so far; absent in the first question about it. */
  again?: number;
  /** The tool was seen to change files although it says otherwise. */
  falseClaim?: FalseClaim;
  /** The place among the questions about this batch of calls, where there is more than one. */
  queue?: QuestionQueue;
}

/** Questions about one batch of calls, in the order of the calls. */
export interface QuestionQueue {
  /** The number, counted from 1. */
  number: number;
  count: number;
  /** Calls that are not planned yet may be asked about as well. */
  orMore?: boolean;
  /** The questions that come after this one, as far as they are known; none has a queue of its own. */
  others: ConfirmRequest[];
}

/** The user's answer to a question. */
export type Outcome =
  /** `also`: ids of calls among the others in the queue that the user agreed to with the same answer. */
  | { kind: 'once'; also?: string[] }
  | {
      kind: 'always';
      rule: string;
      scope: 'session' | 'saved';
      /** The number of further calls that the grant is for. */
      uses?: number;
      /** The time that the grant is for. */
      forMs?: number;
    }
  | { kind: 'modify'; written: string }
  /** The call is put off because nobody answers now, and the prompt ends without it. */
  | { kind: 'park' }
  | {
      kind: 'cancel';
      reason?: string;
      /** The rule of `never`, which is to deny such calls until the session ends. */
      rule?: string;
      /** True if nobody was there to be asked: the run must not end as if all were well. */
      nobodyToAsk?: boolean;
    };

/** A call that has ended, with its response and its display. */
export interface SettledCall {
  callId: string;
  tool: string;
  response: FunctionResponse;
  /** The content that the response was made from. */
  llmContent: PartListUnion;
  display: Display;
  error?: CallError;
  changeSet?: string;
  /** The result as data, where the tool gave some. */
  structuredContent?: JsonObject;
  /** The result for a script. */
  forScript?: ScriptValue;
  effects: readonly Effect[];
  /** Set when a rule, a mode or the user said no. */
  denied?: Refusal;
  /** The question that the call waits for: it has not run, and its response is no part of the conversation. */
  parked?: ConfirmRequest;
  /** A hook ends the run with this call: why. */
  stopped?: string | undefined;
}

/** The no to a call: who said it, and why; `confirm` where the embedding program's function failed. */
export interface Refusal {
  by: 'rule' | 'user' | 'nobody-to-ask' | 'confirm';
  reason: string;
  /** The same for a user who sees the call. */
  brief?: string;
}

/** An event that a front end can draw while calls run. */
export type CallEvent =
  | {
      type: 'call-start';
      callId: string;
      tool: string;
      args: Record<string, unknown>;
      description: string;
      /** Declared by the tool; absent where they are unknown. */
      effects?: Effect[];
    }
  | { type: 'call-ask'; callId: string; request: ConfirmRequest }
  | { type: 'call-update'; callId: string; delta: string }
  | {
      type: 'call-end';
      callId: string;
      tool: string;
      display: Display;
      error?: CallError;
      /** The exit code of a command, or the signal that ended it. */
      exitStatus?: number | string;
      /** Lines of a display that is text, before it was cut to size. */
      displayLines?: number;
      /** Errors in sources that came with this change or with earlier ones: the model is told of them. */
      newErrors?: NewErrors[];
    };

/** Writes a text where the model can read and search it; returns the path. */
export type SaveOutput = (callId: string, text: string) => Promise<string>;

export interface SchedulerOptions {
  registry: ToolRegistry;
  permission: Permission;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** Gives the result of a call in its tool's place; null where the tool is to run. */
  answerInstead?(call: CallToAnswer): Promise<ToolResult | null>;
  /** Programs of the user that are asked before a call and told of it after; null where there are none. */
  hooks?: AskHooks | null;
  /** Tells the user what a hook says, or that one failed. */
  sayOfHooks?(sentence: string): void;
  /** Tells the model what a call has brought about, such as errors in changed sources. */
  afterCall?: Pick<AfterCall, 'tell'>;
  /** Asks the user. Questions come one at a time. */
  confirm(request: ConfirmRequest, signal: AbortSignal): Promise<Outcome>;
  /** The memory of tools that were seen to change files although they say otherwise. */
  falseClaims?: Pick<FalseClaims, 'of'>;
  /** Awaited before a call runs and before it is answered. */
  record(entry: CallRecord): Promise<void>;
  /** Hears of every event. One that throws is logged, and no call is lost by it. */
  emit?(event: CallEvent): void;
  saveOutput: SaveOutput;
  /** The path after links, as far as it exists; without it paths are judged as tools declare them. */
  realPath?(path: string): Promise<string>;
  /** Keeps a grant for later sessions; gives the id it is kept under. */
  saveGrant?(grant: Grant): Promise<{ id: string } | undefined>;
  limits?: { callMs?: number; graceMs?: number; parallel?: number };
}

/** A call before anything was decided about it. */
export interface CallToAnswer {
  /** The id under which the model made it. */
  id: string;
  tool: string;
  args: Record<string, unknown>;
  /** Undefined where the tool does not tell them; null for a call that is refused as it stands. */
  effects: readonly Effect[] | undefined | null;
}

/** Options of the scheduler as one call of a batch has them. */
export interface CallNeeds extends SchedulerOptions {
  /** The subagent that makes the calls. */
  agent?: string;
  /** The rules to which the subagent is narrowed, by the name of the tool. */
  within?: ReadonlyMap<string, readonly Rule[]>;
  /** The call that makes these calls. */
  parent?: string;
  /** The responses go to no model. */
  unheard?: boolean;
  /** The limits of time of all calls. */
  alarms: Alarms;
  /** Makes calls for a call that is under way. */
  innerCallsOf(callId: string): MakeInnerCalls;
  /** Why a hook ended the run with a call that this one made. */
  stoppedWithin(callId: string): string | undefined;
  /** The program that sent the calls, where tools may ask it something. */
  caller?: Caller;
  /** Sends an event; never throws. */
  emit(event: CallEvent): void;
  oneQuestion: OneAtATime;
  /** The place of this call among the questions of its batch. */
  place: QuestionPlace;
  repeatedCalls?: RepeatedCalls;
}

/** The place of one call among the questions of its batch. */
export interface QuestionPlace {
  /** Waits until every earlier call of the batch is decided; null for a call that needs no question. */
  turn(request: ConfirmRequest | null, signal: AbortSignal): Promise<void>;
  /** The question with its place in the queue. Called in turn. */
  placed(request: ConfirmRequest): ConfirmRequest;
  /** The user said yes to these calls too. */
  agree(callIds: readonly string[]): void;
  /** The user has said yes to this call in an earlier question. */
  isAgreed(callId: string): boolean;
  /** The call is decided: those behind it may ask. A second time does nothing. */
  leave(): void;
}

/** Answers for a program without a user: every question is a refusal, and the run says so at its end. */
export async function nobodyToAsk({ reason }: ConfirmRequest): Promise<Outcome> {
  return { kind: 'cancel', reason, nobodyToAsk: true };
}

/** For questions whose asker can't wait for days: where they would be put off, nobody could be asked. */
export function neverParking(
  confirm: SchedulerOptions['confirm'],
  hint?: string,
): SchedulerOptions['confirm'] {
  return async (request, signal) => {
    const outcome = await confirm(request, signal);
    if (outcome.kind !== 'park') return outcome;
    return nobodyToAsk(hint === undefined ? request : { ...request, reason: `${request.reason} (${hint})` });
  };
}
