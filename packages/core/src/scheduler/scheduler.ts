import {
  type FunctionResponse,
  type FunctionResponsePart,
  type Part,
  type PartListUnion,
  textOf,
  toParts,
} from '@toolwright/machine/base/content.js';
import {
  type AbortReason,
  isToolError,
  messageOf,
  requireSignal,
  SettingsError,
} from '@toolwright/machine/base/errors.js';
import { cutDeep, isJsonObject } from '@toolwright/machine/base/json.js';
import { type OneAtATime, oneAtATime } from '@toolwright/machine/base/one-at-a-time.js';
import { withController } from '@toolwright/machine/host/deadline.js';
import { describeErrors } from '../languages/describe-errors.js';
import type { Brought } from '../languages/tell-errors.js';
import type { RawCall } from '../model/model.js';
import type { CallError } from '../session/call-record.js';
import type { Caller } from '../tools/caller/caller.js';
import { type Asker, cancelledResult, errorResult, type ToolResult } from '../tools/tools.js';
import { type Alarms, createAlarms } from './alarms.js';
import { approveCall } from './approve-call.js';
import type { CallEvent, CallNeeds, SchedulerOptions, SettledCall } from './call.js';
import { conflict } from './conflict.js';
import { askHooksAfter, askHooksBefore, isHooked } from './hooked-call.js';
import { createInnerCalls } from './inner-calls.js';
import { mayRepeat } from './may-repeat.js';
import { describeCall, type PreparedCall, prepareCall } from './prepare-call.js';
import { createQuestionOrder, createSlots, type Outlook } from './question-order.js';
import type { Settled } from './refusal.js';
import type { RepeatedCalls } from './repeated-calls.js';
import { boundMessage, executeTool } from './run-tool.js';

/** Carries out batches of calls. */
export interface Scheduler {
  /** Gives a response per call, in call order. Rejects only when the journal can't be written, or once it is closed. */
  run(calls: readonly RawCall[], signal: AbortSignal, batch?: BatchOptions): Promise<SettledCall[]>;
  /** True if running an interrupted call again changes nothing and needs no question. */
  canRepeat(call: RawCall): Promise<boolean>;
  /** Asks the user one question after the other: for others who ask the same user. */
  readonly oneQuestion: OneAtATime;
  /** Ends the calls that have begun, or the one with this id, as the user's wish: each gets its response, and the prompt goes on. */
  cancelCalls(callId?: string): void;
  /** Throws once it is closed. */
  requireOpen(): void;
  /** Every later call is refused. */
  close(): void;
}

export interface BatchOptions {
  /** Asker of the calls; default: the model. The user's own calls need no question, and their commands run with the user's rights. */
  by?: Asker;
  /** Asks the user of this batch, where several work with the same tools. */
  confirm?: SchedulerOptions['confirm'];
  /** Questions to the same user, one after the other; default: all questions of this scheduler. */
  oneQuestion?: OneAtATime;
  /** The program that sent these calls, where tools may ask it something. */
  caller?: Caller;
  /** Hears the events of this batch, too. */
  emit?: SchedulerOptions['emit'];
  /** The tools of these calls, where they are others than those of the scheduler. */
  registry?: SchedulerOptions['registry'];
  /** The subagent that makes these calls: their events are for `emit` of the batch alone. */
  agent?: string;
  /** The rules to which that subagent is narrowed, by the name of the tool. */
  within?: CallNeeds['within'];
  /** The call that makes these calls: their events are for `emit` of the batch alone. */
  parent?: string;
  /** The responses go to no model: only the content of the results is used. */
  unheard?: boolean;
  /** Counts calls over all batches of a prompt and adds a note to those that lead nowhere. */
  repeatedCalls?: RepeatedCalls;
}

const PARALLEL = 8;

/** Runs batches of calls: those whose effects do not conflict run side by side, the others in order. */
export function createScheduler(options: SchedulerOptions): Scheduler {
  const oneQuestion = oneAtATime();
  const alarms = createAlarms(options.clock);
  const begun = new Map<AbortController, string>();
  let closed = false;
  const requireOpen = (): void => {
    if (closed) throw new Error('close() was called: nothing more can be run here. Create another one.');
  };
  const scheduler: Scheduler = {
    requireOpen,
    canRepeat: (call) => mayRepeat(call, options),
    oneQuestion,
    cancelCalls(callId) {
      for (const [controller, id] of begun)
        if (callId === undefined || id === callId) controller.abort({ kind: 'user' } satisfies AbortReason);
    },
    close() {
      closed = true;
    },
    async run(calls, signal, batchOptions = {}) {
      requireOpen();
      if (!Array.isArray(calls)) throw new TypeError('The first argument must be a list of calls.');
      requireSignal(signal);
      const own = forBatch({ scheduler, alarms }, options, batchOptions);
      const batch: CallInBatch[] = [];
      for (const raw of calls) batch.push(await enter(raw, { by: batchOptions.by, signal }, own));
      const slots = createSlots(options.limits?.parallel ?? PARALLEL);
      const { sleep } = options.clock;
      const outlook = (index: number): Outlook => outlookOf(batch[index]!, own);
      const order = createQuestionOrder({ calls: batch.length, slots, sleep, outlook });
      const settled: Promise<SettledCall>[] = [];
      batch.forEach((call, index) => {
        const blockers = settled.filter((_, earlier) => mustWait(batch[earlier]!, call, own));
        settled[index] = Promise.allSettled(blockers).then(async () => {
          const place = order.begin(index);
          await slots.take();
          try {
            const respond = (inner: AbortSignal) => respondTo(call, { ...own, place }, inner);
            return await cancellable({ begun, callId: call.callId }, signal, respond);
          } finally {
            place.leave();
            slots.give();
          }
        });
      });
      return Promise.all(settled);
    },
  };
  return scheduler;
}

/** Runs one call with a signal of its own beside that of its batch. */
async function cancellable<Result>(
  { begun, callId }: { begun: Map<AbortController, string>; callId: string },
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  return withController(signal, async (controller) => {
    begun.set(controller, callId);
    try {
      return await work(controller.signal);
    } finally {
      begun.delete(controller);
    }
  });
}

/** The options for one batch. Its `emit` never throws: a broken listener is no reason to lose a call. */
function forBatch(
  { scheduler, alarms }: { scheduler: Scheduler; alarms: Alarms },
  options: SchedulerOptions,
  batch: BatchOptions,
): Omit<CallNeeds, 'place'> {
  const { confirm, oneQuestion, caller, emit, repeatedCalls, registry, agent, parent, unheard, within } =
    batch;
  const inner = createInnerCalls(options, (calls, aborted, more) =>
    // The calls of a script were not typed by the user.
    scheduler.run(calls, aborted, { ...batch, by: batch.by === 'user' ? 'model' : batch.by, ...more }),
  );
  // Spread syntax takes ten times as long where so many members follow, in each batch.
  return Object.assign({}, options, {
    alarms,
    innerCallsOf: inner.callsOf,
    stoppedWithin: inner.stoppedWithin,
    registry: registry ?? options.registry,
    agent,
    within,
    parent,
    unheard,
    confirm: confirm ?? options.confirm,
    oneQuestion: oneQuestion ?? scheduler.oneQuestion,
    caller,
    repeatedCalls,
    emit(event: CallEvent) {
      options.log.debug(event.type, event);
      const isInner = agent !== undefined || parent !== undefined;
      for (const listener of isInner ? [emit] : [options.emit, emit]) {
        try {
          listener?.(event);
        } catch (error) {
          options.log.error(`a listener failed on ${event.type}`, error);
        }
      }
    },
  });
}

/** A call of a batch: prepared, or refused before it could be. */
interface CallInBatch {
  callId: string;
  raw: RawCall;
  description: string;
  prepared: PreparedCall | null;
  refusal: unknown;
}

async function enter(
  raw: RawCall,
  asked: { by: Asker | undefined; signal: AbortSignal },
  options: SchedulerOptions,
): Promise<CallInBatch> {
  const callId = options.ids.next();
  try {
    const prepared = await prepareCall(raw, options, asked);
    return { callId, raw, description: prepared.description, prepared, refusal: null };
  } catch (refusal) {
    return { callId, raw, description: await describeCall(raw, options), prepared: null, refusal };
  }
}

/** A hook may change what a call does, so a call that hooks are asked about runs alone. */
function mustWait(earlier: CallInBatch, later: CallInBatch, options: SchedulerOptions): boolean {
  if (!earlier.prepared || !later.prepared) return false;
  if (isHooked(earlier.prepared, options) || isHooked(later.prepared, options)) return true;
  if (earlier.prepared.tool.runsAlone || later.prepared.tool.runsAlone) return true;
  return conflict(earlier.prepared.effects, later.prepared.effects);
}

/** Judges a call by what it declares; what a command changes, and if it is asked about, is known only from its plan. */
function outlookOf({ prepared }: CallInBatch, { permission }: SchedulerOptions): Outlook {
  if (!prepared || prepared.by === 'user') return 'not';
  const { tool, effects, falseClaim } = prepared;
  const { decision } = permission.decide({ tool: tool.name, effects, wasCaught: falseClaim !== undefined });
  if (decision === 'deny') return 'not';
  const commands = (effects ?? []).filter((effect) => effect.kind === 'execute');
  if (commands.length === 0) return decision === 'ask' ? 'asked' : 'not';
  return commands.every(({ readOnly }) => readOnly) && decision === 'allow' ? 'not' : 'maybe';
}

/** Decides, confirms, executes and responds. Whatever happens, there is exactly one response. */
async function respondTo(call: CallInBatch, options: CallNeeds, signal: AbortSignal): Promise<SettledCall> {
  const { callId, raw } = call;
  const tool = call.prepared?.tool.name ?? raw.name;
  let settled: Settled;
  try {
    settled = await attempt(call, options, signal);
  } catch (error) {
    settled = { result: failureResult(error, tool, options, signal), notes: [] };
  }
  const { llmContent, returnDisplay: display, error, changeSet, structuredContent } = settled.result;
  const { exitStatus, displayLines, forScript } = settled.result;
  const { newErrors } = settled;
  const response = responseTo(call, settled, options);
  if (!settled.parked)
    await options.record({ type: 'call-end', callId, tool, response, display, error, changeSet, newErrors });
  options.emit({ type: 'call-end', callId, tool, display, error, exitStatus, displayLines, newErrors });
  const effects = call.prepared?.effects ?? [];
  return {
    callId,
    tool,
    response,
    llmContent,
    display,
    forScript,
    effects,
    error,
    changeSet,
    structuredContent,
    denied: settled.denied,
    parked: settled.parked,
    stopped: settled.stopped ?? settled.result.stopped ?? options.stoppedWithin(callId),
  };
}

/** The response as journal, events and model get it: nothing is added to it later. */
function responseTo(
  { callId, raw, prepared }: CallInBatch,
  { result, notes }: Settled,
  { repeatedCalls }: CallNeeds,
): FunctionResponse {
  const input = {
    callId: raw.id || callId,
    tool: raw.name,
    content: result.llmContent,
    notes,
    error: result.error,
  };
  const response = toFunctionResponse(input);
  const note = repeatedCalls?.noteOn({
    tool: prepared?.tool.name ?? raw.name,
    arguments: raw.arguments,
    response: response.response,
    changed: result.changeSet !== undefined,
  });
  return note === null || note === undefined
    ? response
    : toFunctionResponse({ ...input, notes: [...notes, note] });
}

async function attempt(call: CallInBatch, options: CallNeeds, signal: AbortSignal): Promise<Settled> {
  const { callId, raw, description } = call;
  const args = call.prepared?.params ?? (isJsonObject(raw.arguments) ? cutDeep(raw.arguments) : {});
  const effects = call.prepared?.effects;
  options.emit({ type: 'call-start', callId, tool: raw.name, args, description, effects });
  const { agent, parent } = options;
  const about = { tool: raw.name, args, effects: effects ?? null, agent, parent };
  await options.record({ type: 'call-start', callId, ...about });
  const tool = call.prepared?.tool.name ?? raw.name;
  const asked = { id: raw.id, tool, args, effects: call.prepared ? effects : null };
  const instead = await options.answerInstead?.(asked);
  if (instead) return { result: instead, notes: [] };
  if (!call.prepared) throw call.refusal;
  if (signal.aborted) return { result: cancelledResult(signal), notes: [] };

  const hooked = await askHooksBefore({ callId, prepared: call.prepared }, options, signal);
  if (!('prepared' in hooked)) return hooked;
  const approved = await approveCall(callId, hooked.prepared, options, signal);
  options.place.leave();
  if (!('prepared' in approved)) return approved;
  const { prepared } = approved;
  const result = await executeTool({ callId, prepared }, options, signal);
  const said = await askHooksAfter({ callId, prepared }, result, options, signal);
  const brought = await broughtBy(prepared, result, options, signal);
  const notes = [...prepared.notes, ...said.notes, ...(brought?.notes ?? [])];
  const newErrors = brought?.errors ?? [];
  const { stopped } = said;
  if (newErrors.length === 0) return { result, notes, stopped };
  return { result, notes: [...notes, ...newErrors.map(describeErrors)], newErrors, stopped };
}

/** What the changes of a call have brought about. Those of a script's calls are told with the script, once they are kept. */
async function broughtBy(
  { tool, effects = [] }: PreparedCall,
  { changeSet, innerChangeSets = [] }: ToolResult,
  { afterCall, agent, parent, unheard }: CallNeeds,
  signal: AbortSignal,
): Promise<Brought | undefined> {
  if (parent !== undefined) return undefined;
  const changeSets = changeSet === undefined ? innerChangeSets : [changeSet];
  const about = { author: agent, endsAgent: tool.name === 'agent', isUnheard: unheard };
  return afterCall?.tell({ effects, changeSets, ...about }, signal);
}

function failureResult(
  error: unknown,
  tool: string,
  options: SchedulerOptions,
  signal: AbortSignal,
): ToolResult {
  if (isToolError(error)) return errorResult(error.code, boundMessage(error.message));
  if (signal.aborted) return cancelledResult(signal);
  // Neither the tool's nor the model's fault, such as an unwritable state folder. Its message tells the user what to do.
  if (error instanceof SettingsError) return errorResult('failed', error.message);
  options.log.error(`internal error in ${tool}`, error);
  return errorResult(
    'failed',
    `Internal error in ${tool}: ${boundMessage(messageOf(error)).replace(/\.$/, '')}. This is a fault of the tool, not of the arguments; try another way. Details are in ${options.log.path}.`,
  );
}

interface ResponseInput {
  /** The id under which the model made the call. */
  callId: string;
  tool: string;
  content: PartListUnion;
  notes: readonly string[];
  error?: CallError;
}

/** `llmContent` as it goes back to the model: text under `output` or `error`, everything else as parts. */
function toFunctionResponse({ callId, tool, content, notes, error }: ResponseInput): FunctionResponse {
  const parts = toParts(content);
  const text = textOf(parts, '\n');
  const media = parts.flatMap(toResponsePart);
  const response: Record<string, unknown> = error
    ? { error: text || error.message, code: error.code }
    : { output: text };
  if (notes.length > 0) response['notes'] = notes;
  return { id: callId, name: tool, response, parts: media.length > 0 ? media : undefined };
}

function toResponsePart({ inlineData, fileData }: Part): FunctionResponsePart[] {
  if (inlineData) return [{ inlineData }];
  return fileData ? [{ fileData }] : [];
}
