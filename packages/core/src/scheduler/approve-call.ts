import { messageOf } from '@toolwright/machine/base/errors.js';
import { isJsonObject } from '@toolwright/machine/base/json.js';
import type { Decision, PermissionRequest } from '../permission/decide.js';
import { type Grant, type GrantOffer, rulesOf } from '../permission/grants.js';
import type { CallRecord } from '../session/call-record.js';
import { type ConfirmationDetails, cancelledResult } from '../tools/tools.js';
import type { CallNeeds, ConfirmRequest, Outcome, Refusal, SchedulerOptions } from './call.js';
import { effectsOfPlan } from './exact-effects.js';
import { followLinks, type PreparedCall, withParams } from './prepare-call.js';
import { putOff, refuse, type Settled, withOutput } from './refusal.js';
import { boundMessage, confirmationDetails } from './run-tool.js';

/** More modifications of one call come from a loop in a program that answers in the user's place. */
const MOST_MODIFIED = 20;

/** Takes a call from its declared effects over the exact ones to a yes or a no; *modify* goes round again. */
export async function approveCall(
  callId: string,
  first: PreparedCall,
  needs: CallNeeds,
  signal: AbortSignal,
): Promise<{ prepared: PreparedCall } | Settled> {
  let prepared = first;
  for (let again = 0; ; again++) {
    try {
      const approval = await approve({ callId, prepared, again }, needs, signal);
      if (approval === 'go') {
        // A tool that begins after its call was cancelled may never hear of that.
        signal.throwIfAborted();
        return { prepared };
      }
      await discard(prepared, needs);
      if ('result' in approval) return approval;
      const notes = [...first.notes, approval.note];
      prepared = await withParams(approval.params, { ...first, notes, signal });
    } catch (error) {
      await discard(prepared, needs);
      throw error;
    }
  }
}

interface CallToApprove {
  callId: string;
  prepared: PreparedCall;
  /** The number of times that the user has modified the call. */
  again: number;
}

/** The call that the user wrote in place of the proposed one. */
interface Modified {
  params: Record<string, unknown>;
  note: string;
}

async function approve(
  call: CallToApprove,
  needs: CallNeeds,
  signal: AbortSignal,
): Promise<'go' | Settled | Modified> {
  const { callId, prepared } = call;
  const reached = await effectsReached(prepared, needs);
  const wasCaught = prepared.falseClaim !== undefined;
  const within = needs.within?.get(prepared.tool.name);
  const declared = { tool: prepared.tool.name, effects: reached, wasCaught, within };
  await needs.permission.refreshCodeInUse(declared);
  const decision = needs.permission.decide(declared);
  if (decision.decision === 'deny') {
    await needs.record(recordOf(callId, decision));
    return refuse(byRule(decision));
  }
  const details = await confirmationDetails(call, needs, signal);
  if (signal.aborted && details) return withOutput({ result: cancelledResult(signal), notes: [] }, details);
  const isBuiltin = needs.registry.find(prepared.tool.name)?.origin.kind === 'builtin';
  const effects = details ? effectsOfPlan(reached, details, { isBuiltin }) : reached;
  const planned = { ...call, details, effects };
  const early = details ? needs.permission.decide(permissionRequest(planned, needs)) : decision;
  await needs.place.turn(questionToAsk(planned, early, needs), signal);
  const answer = await needs.oneQuestion(() => decideOrAsk(planned, needs, signal));
  if (answer === 'go' || 'params' in answer) return answer;
  const stopped = isBuiltin && details && details.kind === 'edit' ? details.stopped : undefined;
  if ('parked' in answer) return { ...putOff(answer.parked), stopped };
  const refused = { ...refuse(answer.denied), stopped };
  return details ? withOutput(refused, details) : refused;
}

/** Links are followed here, not when the call is prepared: an earlier call of the batch may have made one. */
export async function effectsReached(
  { effects }: PreparedCall,
  { realPath }: Pick<SchedulerOptions, 'realPath'>,
): Promise<PreparedCall['effects']> {
  if (!effects || !realPath) return effects;
  // A path that can't be followed is refused when it is used.
  return followLinks(effects, (path) => realPath(path).catch(() => path));
}

/** The user's answer as the journal keeps it. */
type Answered = Pick<CallRecord & { type: 'call-decision' }, 'outcome' | 'rule' | 'waitedMs'>;

interface PlannedCall extends CallToApprove {
  details: ConfirmationDetails | false;
  effects: PreparedCall['effects'];
}

/** Decided again here, because an earlier question of the same batch may have granted this call too. */
async function decideOrAsk(
  call: PlannedCall,
  needs: CallNeeds,
  signal: AbortSignal,
): Promise<'go' | { denied: Refusal } | { parked: ConfirmRequest } | Modified> {
  signal.throwIfAborted();
  const { callId, prepared, effects } = call;
  const request = permissionRequest(call, needs);
  await needs.permission.refreshCodeInUse(request);
  const decision = narrowed(await decideAndSpend(request, needs), prepared);
  const exact = sameEffects(effects, prepared.effects) ? undefined : [...(effects ?? [])];
  const record = (answered: Answered = {}): Promise<void> =>
    needs.record({ ...recordOf(callId, decision), effects: exact, ...answered });
  if (decision.decision !== 'ask') {
    await record();
    return decision.decision === 'allow' ? 'go' : { denied: byRule(decision) };
  }
  // A call that the user typed is agreed to.
  if (prepared.by === 'user' || (call.again === 0 && needs.place.isAgreed(callId))) {
    await record({ outcome: 'once' });
    return 'go';
  }
  const question = needs.place.placed(questionAbout(call, decision, needs));
  needs.emit({ type: 'call-ask', callId, request: question });
  const askedAt = needs.clock.now();
  const outcome = await askUser(question, needs, signal);
  const waitedMs = Math.max(0, Math.round(needs.clock.now() - askedAt));
  signal.throwIfAborted();
  if ('denied' in outcome) {
    await record({ outcome: 'cancel', waitedMs });
    return outcome;
  }
  const rule = 'rule' in outcome ? outcome.rule : undefined;
  await record({ outcome: outcome.kind, rule, waitedMs });
  return follow(outcome, { call, question }, needs, signal);
}

function permissionRequest(call: PlannedCall, { within }: Pick<CallNeeds, 'within'>): PermissionRequest {
  const { tool, falseClaim } = call.prepared;
  return {
    tool: tool.name,
    effects: call.effects,
    wantsConfirmation: wantsConfirmation(call),
    wasCaught: falseClaim !== undefined,
    within: within?.get(tool.name),
  };
}

/** The question as it stands before the earlier ones of the batch are answered; null where none is due. */
function questionToAsk(call: PlannedCall, decided: Decision, needs: CallNeeds): ConfirmRequest | null {
  if (call.prepared.by === 'user') return null;
  const decision = narrowed(decided, call.prepared);
  if (decision.decision !== 'ask') return null;
  return questionAbout(call, decision, needs);
}

function byRule({ reason, brief }: Decision): Refusal {
  return { by: 'rule', reason, brief };
}

/** A hook can turn a yes into a question, nothing else. */
function narrowed(decision: Decision, { hookAsks }: PreparedCall): Decision {
  if (!hookAsks || decision.decision !== 'allow') return decision;
  return { ...decision, ...hookAsks, decision: 'ask', brief: hookAsks.reason };
}

/** The rules that a lasting yes and a lasting no could mean; a question of a hook comes again whatever the rules say. */
function lastingAnswers(call: PlannedCall, needs: CallNeeds): Pick<ConfirmRequest, 'offers' | 'never'> {
  if (call.prepared.hookAsks) return { offers: [] };
  const { permission } = needs;
  const request = permissionRequest(call, needs);
  return { offers: permission.offers(request), never: permission.neverOffer(request) ?? undefined };
}

/**
 * True when the tool asks although it declares no change and its plan has none. A plan without the changes that were
 * declared leaves nothing to ask about, and those that a plan has are judged by rules and modes.
 */
function wantsConfirmation({ prepared, details, effects = [] }: PlannedCall): boolean {
  return details !== false && [...(prepared.effects ?? []), ...effects].every(({ kind }) => kind === 'read');
}

function questionAbout(call: PlannedCall, { reason, brief }: Decision, needs: CallNeeds): ConfirmRequest {
  const { callId, prepared, details, effects = [], again } = call;
  const { tool, description, falseClaim } = prepared;
  const shown: ConfirmationDetails = (details && needs.permission.withWarnings(details)) || {
    kind: 'info',
    title: description,
    prompt: `${description}?`,
    urls: [],
    effects: [...effects],
  };
  return {
    callId,
    tool: tool.name,
    description,
    details: shown,
    reason,
    brief,
    ...lastingAnswers(call, needs),
    modifiable: tool.modify !== undefined && 'modifiable' in shown && shown.modifiable !== undefined,
    again: again > 0 ? again : undefined,
    falseClaim,
  };
}

async function follow(
  outcome: Outcome,
  { call, question }: { call: PlannedCall; question: ConfirmRequest },
  needs: CallNeeds,
  signal: AbortSignal,
): Promise<'go' | { denied: Refusal } | { parked: ConfirmRequest } | Modified> {
  const { tool, params } = call.prepared;
  switch (outcome.kind) {
    case 'once':
      needs.place.agree(outcome.also ?? []);
      return 'go';
    case 'always':
      await grant(outcome, question.offers, needs);
      return 'go';
    case 'park':
      return { parked: question };
    case 'modify':
      if (call.again >= MOST_MODIFIED) return { denied: { by: 'confirm', reason: modifiedTooOften } };
      return {
        params: (await tool.modify?.(params, outcome.written, signal)) as Record<string, unknown>,
        note: modifiedNote(question.details, outcome.written),
      };
    case 'cancel': {
      if (outcome.rule !== undefined) await needs.permission.deny(outcome.rule);
      const by = outcome.nobodyToAsk ? 'nobody-to-ask' : 'user';
      return { denied: { by, reason: outcome.reason ?? question.reason } };
    }
  }
}

const modifiedTooOften = `the call was modified ${MOST_MODIFIED} times, and confirm modified it once more instead of saying yes or no`;

/** The user's answer. A `confirm` that throws, or answers what it can't, refuses the call and is named as the cause. */
async function askUser(
  request: ConfirmRequest,
  { confirm, log }: Pick<SchedulerOptions, 'confirm' | 'log'>,
  signal: AbortSignal,
): Promise<Outcome | { denied: Refusal }> {
  let problem: string | null;
  try {
    const outcome = await confirm(request, signal);
    problem = outcomeProblem(outcome, request);
    if (problem === null) return outcome;
  } catch (error) {
    signal.throwIfAborted();
    log.error('confirm failed', error);
    return { denied: { by: 'confirm', reason: `confirm failed: ${boundMessage(messageOf(error))}` } };
  }
  signal.throwIfAborted();
  log.error(`confirm gave an answer that can't be used: ${problem}`);
  return { denied: { by: 'confirm', reason: `confirm gave an answer that can't be used: ${problem}` } };
}

const outcomeKinds: readonly unknown[] = [
  'once',
  'always',
  'modify',
  'park',
  'cancel',
] satisfies Outcome['kind'][];

/** Null when `confirm` gave an answer that fits its question; else what is wrong with it. */
function outcomeProblem(
  value: unknown,
  { tool, offers, never, modifiable, queue }: ConfirmRequest,
): string | null {
  if (!isJsonObject(value)) return `${value === null ? 'null' : typeof value} in place of { kind: … }`;
  const { kind, rule, scope, written, also = [] } = value;
  if (!outcomeKinds.includes(kind))
    return `the kind ${JSON.stringify(kind)}; there are ${outcomeKinds.join(', ')}`;
  if (kind === 'always' && !offers.some((offer) => offer.rule === rule))
    return `the rule ${String(rule)} was not offered`;
  if (kind === 'cancel' && rule !== undefined && rule !== never?.rule)
    return `the rule ${String(rule)} was not offered`;
  if (kind === 'always' && scope !== 'session' && scope !== 'saved')
    return `the scope ${JSON.stringify(scope)}; there are session and saved`;
  if (kind === 'once' && !areQueued(also, queue)) return 'also names calls that are not in the queue';
  if (kind === 'modify' && !modifiable) return `${tool} can't be modified`;
  if (kind === 'modify' && typeof written !== 'string') return 'modify without a text as written';
  return null;
}

function areQueued(ids: unknown, queue: ConfirmRequest['queue']): boolean {
  return Array.isArray(ids) && ids.every((id) => queue?.others.some(({ callId }) => callId === id));
}

const LONGEST_QUOTE = 2_000;

/** Tells the model that its own words were not carried out. */
function modifiedNote({ kind }: ConfirmationDetails, written: string): string {
  if (kind !== 'exec') return 'the user changed the proposed content before it was written';
  const quote = written.length > LONGEST_QUOTE ? `${written.slice(0, LONGEST_QUOTE)}…` : written;
  return `the user changed the command; this ran instead: ${quote.trim()}`;
}

function sameEffects(left: PreparedCall['effects'], right: PreparedCall['effects']): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function recordOf(callId: string, { decision, reason, winner }: Decision) {
  return { type: 'call-decision' as const, callId, decision, reason, winner };
}

/** A grant for a number of calls is used up by one; another process may have taken the last. */
async function decideAndSpend(request: PermissionRequest, options: SchedulerOptions): Promise<Decision> {
  const decision = options.permission.decide(request);
  if (decision.decision !== 'allow' || (await options.permission.spend(decision))) return decision;
  return decideAndSpend(request, options);
}

async function grant(
  { rule, scope, uses, forMs }: Outcome & { kind: 'always' },
  offers: readonly GrantOffer[],
  { permission, saveGrant, clock }: SchedulerOptions,
): Promise<void> {
  const offer = offers.find((each) => each.rule === rule)!;
  const untilMs = forMs === undefined ? undefined : clock.now() + forMs;
  for (const each of rulesOf(offer)) {
    const given: Grant = { rule: each, scope, uses, untilMs };
    const saved = scope === 'saved' ? await saveGrant?.(given) : undefined;
    permission.grant(given, saved?.id);
  }
}

async function discard({ tool, params }: PreparedCall, options: SchedulerOptions): Promise<void> {
  try {
    await tool.discard?.(params);
  } catch (error) {
    options.log.error(`${tool.name}.discard failed`, error);
  }
}
