import type { FunctionDeclaration, Message, Part } from '@toolwright/machine/base/content.js';
import { messageOf, SettingsError } from '@toolwright/machine/base/errors.js';
import type { Log } from '@toolwright/machine/host/host.js';
import { type FinishReason, type ModelClient, ModelError, type Usage } from '../model/model.js';
import type { SettledCall } from '../scheduler/call.js';
import { createRepeatedCalls } from '../scheduler/repeated-calls.js';
import type { Scheduler } from '../scheduler/scheduler.js';
import { compressHistory, isNearlyFull, withoutMedia } from './compress.js';
import type { AgentEvent, AgentResult } from './events.js';
import { type LeftCalls, repeatCalls, withResponses } from './left-calls.js';
import { type Budget, limitBeforeTurn } from './spending/budget.js';
import { addUsage, type Spent } from './spending/spending.js';
import { BrokenTurn, runTurn, type Turn } from './turn.js';
import { withoutRepeatedReads } from './unchanged-reads.js';

export interface AgentOptions {
  model: ModelClient;
  scheduler: Pick<Scheduler, 'run'>;
  declarations(): FunctionDeclaration[];
  system: string;
  /** The conversation so far; grows as the agent works. */
  messages: Message[];
  /** Takes out what the model must never see. */
  clean(message: Message): Message;
  /** Awaited before the conversation goes on; `by` is the model that gave an answer. */
  record(message: Message, usage?: Usage, by?: string): Promise<void>;
  /** The conversation was shortened: from here on it starts with these messages. */
  recordHistory(messages: Message[]): Promise<void>;
  /** Context of the folders these calls touched for the first time, to be read with their results; empty for none. */
  contextOf(settled: readonly SettledCall[], signal: AbortSignal): Promise<string>;
  /** Gives what the user wrote meanwhile, before each further request to the model; null for nothing. */
  between?(signal: AbortSignal): Promise<Part[] | null>;
  /** Called when the model asks for nothing more: gives parts that make it go on, or null. */
  whenDone?(signal: AbortSignal): Promise<Part[] | null>;
  /** Awaited before the conversation is shortened. */
  beforeShortening?(signal: AbortSignal): Promise<void>;
  /** Awaited after that: gives parts for the model, or null. */
  afterShortening?(signal: AbortSignal): Promise<Part[] | null>;
  emit(event: AgentEvent): void;
  log: Pick<Log, 'error' | 'path'>;
  /** The limits of a prompt; without them it goes on until the model is done. */
  budget?: Budget;
  /** What the prompt and all that works for it have used so far; without it its own answers count. */
  spent?(): Spent;
  /** The result of an earlier prompt of the same work, which this one goes on from: its limits hold for both. */
  earlier?: AgentResult | undefined;
  /** Awaited when the journal holds an answer with calls, before they run, and again when it holds their responses. */
  checkpoint?(at: Checkpoint, result: AgentResult): Promise<void>;
  /** The calls of these responses are put off: the conversation ends before them. */
  recordParked?(callIds: string[]): Promise<void>;
  /** Interrupted calls to be run once more before the prompt. */
  repeat?: LeftCalls | null;
}

/** A moment at which another process could go on from the journal. */
export type Checkpoint = 'calls' | 'responses';

/** Turns until the model asks for no more calls. Never throws for what a model or a tool does. */
export async function runPrompt(
  prompt: Part[] | LeftCalls,
  options: AgentOptions,
  signal: AbortSignal,
): Promise<AgentResult> {
  const result = emptyResult(options.earlier);
  try {
    const goesOn = Array.isArray(prompt)
      ? await addPrompt(prompt, options, signal)
      : await runParked(prompt, { result, options, signal });
    if (goesOn) await takeTurns(result, options, signal);
  } catch (error) {
    describeEnd(result, error, { signal, log: options.log });
  }
  count(result, options);
  options.emit({ type: 'result', result });
  return result;
}

async function addPrompt(parts: Part[], options: AgentOptions, signal: AbortSignal): Promise<boolean> {
  if (options.repeat) await repeatCalls(options.repeat, options, signal);
  await add(options.clean({ role: 'user', parts }), options);
  return true;
}

/** Tokens that a conversation took with its last answer, also one to an earlier prompt. */
const tokensUsed = new WeakMap<Message[], number>();

async function takeTurns(result: AgentResult, options: AgentOptions, signal: AbortSignal): Promise<void> {
  const { budget = {} } = options;
  const repeatedCalls = createRepeatedCalls();
  for (;;) {
    count(result, options);
    const limit = limitBeforeTurn(result, budget);
    if (limit) return end(result, limit);
    result.turns += 1;
    if (isNearlyFull(options.model, tokensUsed.get(options.messages) ?? 0)) await shorten(options, signal);
    const turn = await answer(result, options, signal);
    await addAnswer(turn, options);
    if (turn.usage) tokensUsed.set(options.messages, turn.usage.inputTokens + turn.usage.outputTokens);
    if (turn.calls.length === 0) {
      if (await addGiven(await options.between?.(signal), options)) continue;
      if (await addGiven(await options.whenDone?.(signal), options)) continue;
      return;
    }

    await checkpoint('calls', result, options);
    const settled = unlessStopped(await options.scheduler.run(turn.calls, signal, { repeatedCalls }));
    if (await park(settled, result, options)) return;
    const responses = options.clean({ role: 'user', parts: await responseParts(settled, options, signal) });
    await add(withoutRepeatedReads(responses, options.messages), options);
    for (const call of settled) note(result, call);
    if (signal.aborted) return end(result, 'cancelled');
    if (stopByHook(settled, result)) return;
    await checkpoint('responses', result, options);
    if (repeatedCalls.isStuck) return stopLoop(result);
    if (result.calls >= (budget.calls ?? Number.POSITIVE_INFINITY)) return end(result, 'call-limit');
    await addGiven(await options.between?.(signal), options);
  }
}

/** Ends the prompt where questions about its calls wait: the calls are no part of the conversation before they are answered. */
async function park(
  settled: readonly SettledCall[],
  result: AgentResult,
  { recordParked }: Pick<AgentOptions, 'recordParked'>,
): Promise<boolean> {
  const parked = settled.filter((call) => call.parked);
  if (parked.length === 0) return false;
  await recordParked?.(parked.map(({ response }) => response.id ?? ''));
  for (const call of settled.filter((each) => !each.parked)) note(result, call);
  result.parked = parked.map((call) => call.parked!);
  end(result, 'parked');
  return true;
}

/** Runs the calls that were put off, and answers the model with them and those that were done before. */
async function runParked(
  { calls, responses }: LeftCalls,
  { result, options, signal }: { result: AgentResult; options: AgentOptions; signal: AbortSignal },
): Promise<boolean> {
  // From here on they count as begun: a crash leaves them interrupted, not waiting.
  await options.recordParked?.([]);
  await checkpoint('calls', result, options);
  const settled = unlessStopped(await options.scheduler.run(calls, signal));
  if (await park(settled, result, options)) return false;
  const parts = withResponses(responses, settled).map((functionResponse) => ({ functionResponse }));
  await add(options.clean({ role: 'user', parts }), options);
  for (const call of settled) note(result, call);
  await checkpoint('responses', result, options);
  if (signal.aborted) end(result, 'cancelled');
  return !signal.aborted && !stopByHook(settled, result);
}

/** Adds the parts as a prompt of its own; false where there are none. */
async function addGiven(parts: Part[] | null | undefined, options: AgentOptions): Promise<boolean> {
  if (!parts?.length) return false;
  await add(options.clean({ role: 'user', parts }), options);
  return true;
}

const MOST_TIMES_ASKED = 2;

/** Asks for an answer; an empty one is asked for once more. */
async function answer(result: AgentResult, options: AgentOptions, signal: AbortSignal): Promise<Turn> {
  for (let asked = 1; ; asked++) {
    const turn = await anyAnswer(options, signal);
    result.response = turn.text;
    if (turn.usage && !options.spent) addUsage(result.usage, turn.usage);
    if (turn.calls.length > 0) return turn;
    if (turn.text.trim() !== '') {
      tellIfCut(turn, options);
      return turn;
    }
    const said = `${options.model.model} gave an empty answer${whyEmpty[turn.reason] ?? ''}.`;
    if (asked === MOST_TIMES_ASKED)
      throw new ModelError(
        'empty',
        `${said} It was asked ${asked} times. Rephrase the prompt, or use another model.`,
      );
    options.emit({ type: 'notice', message: `${said} Asking once more.` });
  }
}

const whyEmpty: Partial<Record<FinishReason, string>> = {
  length: ': its limit for one answer was used up before the first word',
  filter: ": a filter of the model's host held it back",
  refusal: ': it refused',
};

const whyCut: Partial<Record<FinishReason, string>> = {
  length: 'the limit for one answer is used up. Ask it to continue for the rest',
  filter: "a filter of the model's host held the rest back",
};

/** Tells the user that an answer was cut: half of one looks like a whole one. */
function tellIfCut({ reason }: Turn, { model, emit }: AgentOptions): void {
  const why = whyCut[reason];
  if (why !== undefined)
    emit({ type: 'notice', message: `${model.model} did not finish its answer: ${why}.` });
}

const MOST_MENDS = 2;

/** Mends the history when a provider refuses a part of it, so that one bad part can't end the session. */
async function anyAnswer(options: AgentOptions, signal: AbortSignal): Promise<Turn> {
  for (let mended = 0; ; mended++) {
    const { model, system, messages, emit } = options;
    try {
      return await runTurn(model, { system, messages, tools: options.declarations() }, { emit, signal });
    } catch (error) {
      if (mended === MOST_MENDS || signal.aborted || !(await mend(error, options, signal))) throw error;
    }
  }
}

async function mend(error: unknown, options: AgentOptions, signal: AbortSignal): Promise<boolean> {
  const cause = error instanceof BrokenTurn ? error.cause : error;
  if (!(cause instanceof ModelError)) return false;
  if (cause.kind === 'context-overflow') return shorten(options, signal);
  if (cause.kind !== 'bad-request') return false;
  const stripped = withoutMedia(options.messages);
  if (!stripped) return false;
  options.emit({
    type: 'notice',
    message: `The model refused the request (${cause.message}). Trying again without images and files.`,
  });
  await replaceHistory(stripped, options);
  return true;
}

async function shorten(options: AgentOptions, signal: AbortSignal): Promise<boolean> {
  options.emit({
    type: 'notice',
    message: 'The conversation is getting too long for the model: its earlier part is being summarised.',
    passing: true,
  });
  await options.beforeShortening?.(signal);
  const shorter = await compressHistory(options.model, options.messages, signal);
  if (!shorter) return false;
  options.emit({
    type: 'notice',
    message: 'The conversation was getting too long for the model; its earlier part is now a summary.',
  });
  await replaceHistory(shorter, options);
  await addGiven(await options.afterShortening?.(signal), options);
  return true;
}

async function replaceHistory(messages: Message[], options: AgentOptions): Promise<void> {
  await options.recordHistory(messages);
  options.messages.splice(0, options.messages.length, ...messages);
  tokensUsed.delete(options.messages);
}

async function add(message: Message, options: AgentOptions): Promise<void> {
  options.messages.push(message);
  await options.record(message);
}

async function addAnswer({ parts, usage, model }: Turn, options: AgentOptions): Promise<void> {
  const message: Message = { role: 'model', parts };
  options.messages.push(message);
  await options.record(message, usage ?? undefined, model ?? options.model.model);
}

function emptyResult(earlier?: AgentResult): AgentResult {
  const { turns = 0, calls = 0, usage, cost, denials = [], changes = [] } = earlier ?? {};
  return {
    reason: 'done',
    response: '',
    turns,
    calls,
    usage: { inputTokens: 0, outputTokens: 0, ...usage },
    cost,
    denials: [...denials],
    changes: [...changes],
  };
}

/** Counts what the prompt has used, with subagents and questions over pages that worked meanwhile. */
function count(result: AgentResult, { spent }: Pick<AgentOptions, 'spent'>): void {
  if (!spent) return;
  const { usage, cost } = spent();
  result.usage = { ...usage };
  result.cost = cost;
}

async function checkpoint(at: Checkpoint, result: AgentResult, options: AgentOptions): Promise<void> {
  count(result, options);
  await options.checkpoint?.(at, result);
}

async function responseParts(
  settled: readonly SettledCall[],
  options: AgentOptions,
  signal: AbortSignal,
): Promise<Part[]> {
  const responses = settled.map(({ response }) => ({ functionResponse: response }));
  const context = await options.contextOf(settled, signal);
  return context === '' ? responses : [...responses, { text: context }];
}

function end(result: AgentResult, reason: AgentResult['reason']): void {
  result.reason = reason;
}

const stopOf = (settled: readonly SettledCall[]): string | undefined =>
  settled.find(({ stopped }) => stopped !== undefined)?.stopped;

/** Where a hook ends the run, no question of its calls waits any more. */
function unlessStopped(settled: readonly SettledCall[]): readonly SettledCall[] {
  if (stopOf(settled) === undefined) return settled;
  return settled.map(({ parked, ...call }) => {
    if (!parked) return call;
    const error = 'Not run: a hook ended the run before the question about this call was answered.';
    return { ...call, response: { ...call.response, response: { error, code: 'cancelled' } } };
  });
}

function stopByHook(settled: readonly SettledCall[], result: AgentResult): boolean {
  const message = stopOf(settled);
  if (message === undefined) return false;
  end(result, 'failed');
  result.error = { kind: 'hook', message };
  return true;
}

function stopLoop(result: AgentResult): void {
  result.reason = 'failed';
  const message =
    'Stopped: the model kept making the same call with the same result. Rephrase the prompt, or use another model.';
  result.error = { kind: 'loop', message };
}

function note(result: AgentResult, call: SettledCall): void {
  result.calls += 1;
  if (call.denied) result.denials.push({ callId: call.callId, tool: call.tool, ...call.denied });
  if (call.changeSet) result.changes.push(call.changeSet);
}

function describeEnd(
  result: AgentResult,
  error: unknown,
  { signal, log }: { signal: AbortSignal; log: AgentOptions['log'] },
): void {
  const cause = error instanceof BrokenTurn ? error.cause : error;
  if (error instanceof BrokenTurn) result.response = error.partial;
  result.reason = signal.aborted ? 'cancelled' : 'failed';
  if (signal.aborted) return;
  const kind = kindOf(cause);
  const { retryAfterMs, provider } = cause instanceof ModelError ? cause : {};
  result.error = { kind, message: messageOf(cause), retryAfterMs, provider };
  if (kind !== 'internal') return;
  log.error('internal error in a prompt', cause);
  result.error.message = `Internal error: ${messageOf(cause)}. The details are in ${log.path}.`;
}

function kindOf(cause: unknown): string {
  if (cause instanceof ModelError) return cause.kind;
  return cause instanceof SettingsError ? 'settings' : 'internal';
}
