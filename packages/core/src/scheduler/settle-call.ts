import { isToolError, messageOf } from '../base/errors.js';
import type { Clock, Ids, Log } from '../host/host.js';
import type { RawCall } from '../model/model.js';
import type { Grant, Permission } from '../permission/permission.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import { type ConfirmationDetails, cancelledResult, errorResult, type ToolResult } from '../tools/tools.js';
import { boundResult, resultProblem, type SaveOutput } from './bound-result.js';
import type { CallEvent, CallRecord, ConfirmRequest, Outcome, SettledCall } from './call.js';
import { toFunctionResponse } from './function-response.js';
import { createLiveOutput } from './live-output.js';
import { acceptParams, type PreparedCall } from './prepare-call.js';
import { withTimeLimit } from './time-limit.js';

export interface SchedulerOptions {
  registry: ToolRegistry;
  permission: Permission;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** Asks the person. Questions come one at a time. */
  confirm(request: ConfirmRequest, signal: AbortSignal): Promise<Outcome>;
  /** Awaited before a call runs and before it is answered. */
  record(entry: CallRecord): Promise<void>;
  emit(event: CallEvent): void;
  saveOutput: SaveOutput;
  saveGrant?(grant: Grant): Promise<void>;
  limits?: { callMs?: number; graceMs?: number; parallel?: number };
}

/** One call of a batch: prepared, or refused before it could be. */
export interface CallInBatch {
  callId: string;
  raw: RawCall;
  prepared: PreparedCall | null;
  refusal: unknown;
}

type Denial = NonNullable<SettledCall['denied']>;
type Settled = { result: ToolResult; notes: readonly string[]; denied?: Denial };

const CALL_LIMIT_MS = 30 * 60_000;
const GRACE_MS = 5_000;

/** Decide, confirm, execute, bound, answer. Whatever happens there is exactly one answer. */
export async function settleCall(
  call: CallInBatch,
  options: SchedulerOptions & { oneQuestion: OneAtATime },
  signal: AbortSignal,
): Promise<SettledCall> {
  const { callId, raw } = call;
  const tool = call.prepared?.tool.name ?? raw.name;
  let settled: Settled;
  try {
    settled = await attempt(call, options, signal);
  } catch (error) {
    settled = { result: failureResult(error, tool, options, signal), notes: [] };
  }
  const { result, denied } = settled;
  const answer: SettledCall = {
    callId,
    tool,
    response: toFunctionResponse({
      callId: raw.id || callId,
      tool: raw.name,
      content: result.llmContent,
      notes: settled.notes,
      error: result.error,
    }),
    display: result.returnDisplay,
    ...(result.error ? { error: result.error } : {}),
    ...(result.changeSet ? { changeSet: result.changeSet } : {}),
    ...(denied ? { denied } : {}),
  };
  const { response, display, error, changeSet } = answer;
  await options.record({ type: 'call-end', callId, tool, response, display, error, changeSet });
  emitSafely(options, { type: 'call-end', callId, tool, display, ...(error ? { error } : {}) });
  return answer;
}

async function attempt(
  call: CallInBatch,
  options: SchedulerOptions & { oneQuestion: OneAtATime },
  signal: AbortSignal,
): Promise<Settled> {
  const { callId, raw } = call;
  const args = call.prepared?.params ?? (typeof raw.arguments === 'string' ? {} : raw.arguments);
  const description = call.prepared?.description ?? raw.name;
  emitSafely(options, { type: 'call-start', callId, tool: raw.name, args, description });
  await options.record({
    type: 'call-start',
    callId,
    tool: raw.name,
    args,
    effects: call.prepared?.effects ?? null,
  });
  if (!call.prepared) throw call.refusal;
  if (signal.aborted) return { result: cancelledResult(signal), notes: [] };

  const approved = await approve(callId, call.prepared, options, signal);
  if ('denied' in approved) return approved;
  const result = await execute(callId, approved.prepared, options, signal);
  return { result: await boundResult(callId, result, options.saveOutput), notes: approved.prepared.notes };
}

/** From the declared effects over the exact ones to a yes or a no; *modify* goes round again. */
async function approve(
  callId: string,
  first: PreparedCall,
  options: SchedulerOptions & { oneQuestion: OneAtATime },
  signal: AbortSignal,
): Promise<{ prepared: PreparedCall } | (Settled & { denied: Denial })> {
  let prepared = first;
  for (;;) {
    const { tool, params } = prepared;
    try {
      const declared = options.permission.decide({ tool: tool.name, effects: prepared.effects });
      if (declared.decision === 'deny')
        return await refuse(callId, { by: 'rule', reason: declared.reason }, options);
      const details = await withTimeLimit(limitOf(options, signal), (inner) =>
        tool.shouldConfirmExecute(params, inner),
      );
      const effects = details ? exactEffects(prepared, details) : prepared.effects;
      const answer = await options.oneQuestion(() =>
        question(callId, { prepared, details, effects }, options, signal),
      );
      if (answer === 'go') return { prepared };
      if ('denied' in answer) {
        await discard(prepared, options);
        return await refuse(callId, answer.denied, options);
      }
      await discard(prepared, options);
      prepared = acceptParams(tool, answer.params, prepared.notes);
    } catch (error) {
      await discard(prepared, options);
      throw error;
    }
  }
}

interface Question {
  prepared: PreparedCall;
  details: ConfirmationDetails | false;
  effects: PreparedCall['effects'];
}

type Answer = 'go' | { denied: Denial } | { params: Record<string, unknown> };

/** Decided again here, because an earlier question of the same batch may have granted this call too. */
async function question(
  callId: string,
  { prepared, details, effects }: Question,
  options: SchedulerOptions,
  signal: AbortSignal,
): Promise<Answer> {
  signal.throwIfAborted();
  const { tool, params, description } = prepared;
  const request = { tool: tool.name, effects };
  const { decision, reason } = options.permission.decide(request);
  if (decision === 'deny') return { denied: { by: 'rule', reason } };
  if (decision === 'allow') {
    await options.record({ type: 'call-decision', callId, decision, reason });
    return 'go';
  }
  const offers = options.permission.offers(request);
  const shown = details || {
    kind: 'info' as const,
    title: description,
    prompt: `${description}?`,
    urls: [],
    effects: effects ?? [],
  };
  const modifiable = tool.modify !== undefined && 'modifiable' in shown && shown.modifiable !== undefined;
  const asked: ConfirmRequest = {
    callId,
    tool: tool.name,
    description,
    details: shown,
    reason,
    offers,
    modifiable,
  };
  emitSafely(options, { type: 'call-ask', callId, request: asked });
  const outcome = await options.confirm(asked, signal);
  signal.throwIfAborted();
  const rule = outcome.kind === 'always' ? outcome.rule : undefined;
  await options.record({ type: 'call-decision', callId, decision, reason, outcome: outcome.kind, rule });
  switch (outcome.kind) {
    case 'once':
      return 'go';
    case 'always': {
      if (!offers.some((offer) => offer.rule === outcome.rule))
        throw new Error(`${outcome.rule} was not offered`);
      const grant: Grant = { rule: outcome.rule, scope: outcome.scope };
      options.permission.grant(grant);
      if (outcome.scope === 'saved') await options.saveGrant?.(grant);
      return 'go';
    }
    case 'modify':
      if (!modifiable || !tool.modify) throw new Error(`${tool.name} can't be modified`);
      return { params: tool.modify(params, outcome.written) as Record<string, unknown> };
    case 'cancel':
      return {
        denied: { by: outcome.nobodyToAsk ? 'nobody-to-ask' : 'person', reason: outcome.reason ?? reason },
      };
  }
}

/** What a plan found replaces what was declared of commands and changes; declared reads and targets stay. */
function exactEffects(prepared: PreparedCall, details: ConfirmationDetails): PreparedCall['effects'] {
  if (prepared.effects === undefined) return details.effects.length > 0 ? details.effects : undefined;
  const kept = prepared.effects.filter(({ kind }) => kind === 'read' || kind === 'network' || kind === 'mcp');
  const isListed = (effect: object): boolean =>
    details.effects.some((other) => JSON.stringify(other) === JSON.stringify(effect));
  return [...details.effects, ...kept.filter((effect) => !isListed(effect))];
}

async function execute(
  callId: string,
  { tool, params }: PreparedCall,
  options: SchedulerOptions,
  signal: AbortSignal,
): Promise<ToolResult> {
  const live = createLiveOutput(options.clock, (delta) =>
    emitSafely(options, { type: 'call-update', callId, delta }),
  );
  try {
    const result = await withTimeLimit(limitOf(options, signal), (inner) =>
      tool.execute(params, inner, live.push),
    );
    const problem = resultProblem(result);
    if (problem) throw new Error(`${tool.name} is broken: ${problem}`);
    return result;
  } finally {
    live.end();
  }
}

async function refuse(
  callId: string,
  denied: Denial,
  options: SchedulerOptions,
): Promise<Settled & { denied: Denial }> {
  if (denied.by === 'rule')
    await options.record({ type: 'call-decision', callId, decision: 'deny', reason: denied.reason });
  const sentences: Record<Denial['by'], string> = {
    rule: `Denied: ${denied.reason}. Do not try to get around this; find another way or tell the user.`,
    person: `The user refused this call: ${denied.reason}`,
    'nobody-to-ask': `Denied: ${denied.reason}, and nobody is there to be asked.`,
  };
  return { result: errorResult('denied', sentences[denied.by]), notes: [], denied };
}

async function discard({ tool, params }: PreparedCall, options: SchedulerOptions): Promise<void> {
  try {
    await tool.discard?.(params);
  } catch (error) {
    options.log.error(`${tool.name}.discard failed`, error);
  }
}

function failureResult(
  error: unknown,
  tool: string,
  options: SchedulerOptions,
  signal: AbortSignal,
): ToolResult {
  if (isToolError(error)) return errorResult(error.code, error.message);
  if (signal.aborted) return cancelledResult(signal);
  options.log.error(`internal error in ${tool}`, error);
  return errorResult(
    'failed',
    `Internal error in ${tool}: ${messageOf(error)}. This is a fault of the tool, not of the arguments; try another way. Details are in ${options.log.path}.`,
  );
}

function limitOf({ clock, limits }: SchedulerOptions, signal: AbortSignal) {
  return { clock, signal, limitMs: limits?.callMs ?? CALL_LIMIT_MS, graceMs: limits?.graceMs ?? GRACE_MS };
}

function emitSafely(options: SchedulerOptions, event: CallEvent): void {
  try {
    options.emit(event);
  } catch (error) {
    options.log.error(`a listener failed on ${event.type}`, error);
  }
}

/** Runs one function after the other. */
export type OneAtATime = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function oneAtATime(): OneAtATime {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  };
}
