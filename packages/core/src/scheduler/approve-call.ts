import type { Effect } from '@toolwright/machine/base/effect.js';
import { isInside } from '@toolwright/machine/host/workspace.js';
import type { Decision, PermissionRequest } from '../permission/decide.js';
import { type Grant, type GrantOffer, rulesOf } from '../permission/grants.js';
import { type ConfirmationDetails, cancelledResult, errorResult, type ToolResult } from '../tools/tools.js';
import { askUser } from './ask-user.js';
import type { CallEvent, ConfirmRequest, Outcome, Refusal, SchedulerOptions } from './call.js';
import { followLinks } from './follow-links.js';
import { distrusted, type PreparedCall, withParams } from './prepare-call.js';
import type { RepeatedCalls } from './repeated-calls.js';
import { confirmationDetails } from './run-tool.js';

/** Options of the scheduler as one batch of calls has them. */
export interface ApprovalOptions extends SchedulerOptions {
  /** Never throws. */
  emit(event: CallEvent): void;
  oneQuestion: OneAtATime;
  repeatedCalls?: RepeatedCalls;
}

/** The end of a call, before its response is made. */
export interface Settled {
  result: ToolResult;
  notes: readonly string[];
  denied?: Refusal;
}

/** More modifications of one call are no person's, but a loop in a program that answers for one. */
const MOST_MODIFIED = 20;

/** From the declared effects over the exact ones to a yes or a no; *modify* goes round again. */
export async function approveCall(
  callId: string,
  first: PreparedCall,
  options: ApprovalOptions,
  signal: AbortSignal,
): Promise<{ prepared: PreparedCall } | Settled> {
  let prepared = first;
  for (let again = 0; ; again++) {
    const { tool } = prepared;
    try {
      const reached = await effectsReached(prepared, options);
      const request = { tool: tool.name, effects: reached };
      await options.permission.refreshCodeInUse(request);
      const declared = options.permission.decide(request);
      if (declared.decision === 'deny') {
        await options.record(recordOf(callId, declared));
        return refuse({ by: 'rule', reason: declared.reason });
      }
      const details = await confirmationDetails({ callId, prepared }, options, signal);
      if (signal.aborted && details) {
        await discard(prepared, options);
        return withOutput({ result: cancelledResult(signal), notes: [] }, details);
      }
      const effects = details ? exactEffects(reached, details.effects) : reached;
      const answer = await options.oneQuestion(() =>
        question(callId, { prepared, details, effects, again }, options, signal),
      );
      if (answer === 'go') return { prepared };
      if ('denied' in answer) {
        await discard(prepared, options);
        const refused = refuse(answer.denied);
        return details ? withOutput(refused, details) : refused;
      }
      await discard(prepared, options);
      const modified = await withParams(tool, answer.params, {
        by: first.by,
        notes: [...first.notes, answer.note],
        signal,
      });
      prepared = distrusted(modified, first.falseClaim);
    } catch (error) {
      await discard(prepared, options);
      throw error;
    }
  }
}

/** Links are followed here, not when the call is prepared: an earlier call of the batch may have made one. */
async function effectsReached(
  { effects }: PreparedCall,
  { realPath }: SchedulerOptions,
): Promise<PreparedCall['effects']> {
  if (!effects || !realPath) return effects;
  // A path that can't be followed is refused when it is used.
  return followLinks(effects, (path) => realPath(path).catch(() => path));
}

interface PlannedCall {
  prepared: PreparedCall;
  details: ConfirmationDetails | false;
  effects: PreparedCall['effects'];
  /** How often it was modified. */
  again: number;
}

type Approval = 'go' | { denied: Refusal } | { params: Record<string, unknown>; note: string };

/** Decided again here, because an earlier question of the same batch may have granted this call too. */
async function question(
  callId: string,
  { prepared, details, effects, again }: PlannedCall,
  options: ApprovalOptions,
  signal: AbortSignal,
): Promise<Approval> {
  signal.throwIfAborted();
  const { tool, params, description } = prepared;
  const wantsConfirmation = details !== false && declaresNoChange(prepared.effects);
  const request = { tool: tool.name, effects, wantsConfirmation };
  await options.permission.refreshCodeInUse(request);
  const decision = await decideAndSpend(request, options);
  const { reason } = decision;
  const exact = sameEffects(effects, prepared.effects) ? {} : { effects: [...(effects ?? [])] };
  if (decision.decision !== 'ask') {
    await options.record({ ...recordOf(callId, decision), ...exact });
    return decision.decision === 'allow' ? 'go' : { denied: { by: 'rule', reason } };
  }
  // Whoever types a call has agreed to it.
  if (prepared.by === 'user') {
    await options.record({ ...recordOf(callId, decision), ...exact, outcome: 'once' });
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
    ...(again > 0 ? { again } : {}),
    ...(prepared.falseClaim ? { falseClaim: prepared.falseClaim } : {}),
  };
  options.emit({ type: 'call-ask', callId, request: asked });
  const outcome = await askUser(asked, options, signal);
  signal.throwIfAborted();
  if ('denied' in outcome) {
    await options.record({ ...recordOf(callId, decision), ...exact, outcome: 'cancel' });
    return outcome;
  }
  const rule = outcome.kind === 'always' ? outcome.rule : undefined;
  await options.record({ ...recordOf(callId, decision), ...exact, outcome: outcome.kind, rule });
  switch (outcome.kind) {
    case 'once':
      return 'go';
    case 'always':
      await grant(outcome, offers, options);
      return 'go';
    case 'modify':
      if (again >= MOST_MODIFIED) return { denied: { by: 'confirm', reason: modifiedTooOften } };
      return {
        params: (await tool.modify?.(params, outcome.written, signal)) as Record<string, unknown>,
        note: modifiedNote(shown, outcome.written),
      };
    case 'cancel':
      return {
        denied: { by: outcome.nobodyToAsk ? 'nobody-to-ask' : 'person', reason: outcome.reason ?? reason },
      };
  }
}

const modifiedTooOften = `the call was modified ${MOST_MODIFIED} times, and confirm modified it once more instead of saying yes or no`;

type Change = Effect & { kind: 'write' | 'delete' };

/** Effects that a plan found replace the declared commands and changes; declared reads and targets stay. */
export function exactEffects(
  declared: readonly Effect[] | undefined,
  found: readonly Effect[],
): Effect[] | undefined {
  if (declared === undefined) return found.length > 0 ? [...found] : undefined;
  const exact = found.map((effect) =>
    isChange(effect) && isNamed(effect, declared) ? named(effect) : effect,
  );
  const listed = new Set(exact.map((effect) => JSON.stringify(effect)));
  const kept = declared.filter(({ kind }) => kind === 'read' || kind === 'network' || kind === 'mcp');
  return [...exact, ...kept.filter((effect) => !listed.has(JSON.stringify(effect)))];
}

function isChange(effect: Effect): effect is Change {
  return effect.kind === 'write' || effect.kind === 'delete';
}

function isNamed({ path }: Change, declared: readonly Effect[]): boolean {
  return declared.some(
    (other) => isChange(other) && other.declared !== 'purpose' && isInside(path, other.path),
  );
}

/** The command line itself names the file: a rule that allows the command does not allow this. */
function named(change: Change): Change {
  const { kind, path } = change;
  if (change.kind === 'delete') return { kind, path };
  const { ignored, leaves } = change;
  return { kind: 'write', path, ignored, leaves };
}

/** A plan of a tool that declares changes may find none; then there is nothing left to ask about. */
function declaresNoChange(effects: PreparedCall['effects'] = []): boolean {
  return effects.every(({ kind }) => kind === 'read');
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
  const limit = {
    uses,
    ...(forMs === undefined ? {} : { untilMs: clock.now() + forMs }),
  };
  for (const each of rulesOf(offer)) {
    const given: Grant = { rule: each, scope, ...limit };
    const saved = scope === 'saved' ? await saveGrant?.(given) : undefined;
    permission.grant(given, saved?.id);
  }
}

function refuse(denied: Refusal): Settled & { denied: Refusal } {
  const sentences: Record<Refusal['by'], string> = {
    rule: `Denied: ${denied.reason}. Do not try to get around this; find another way or tell the user.`,
    person: `The user refused this call: ${denied.reason}`,
    'nobody-to-ask': `Denied: ${denied.reason}, and nobody is there to be asked.`,
    confirm: `Denied: nobody could be asked, as ${denied.reason}. This is a fault of the program around you, not of the call; tell the user.`,
  };
  return { result: errorResult('denied', sentences[denied.by]), notes: [], denied };
}

/** Adds the output of a staged command to the refusal: the model learns from it even when the changes are dropped. */
function withOutput(settled: Settled, details: ConfirmationDetails): Settled {
  if (details.kind !== 'exec' || details.output === undefined) return settled;
  const { result } = settled;
  const printed = details.output.trim() === '' ? 'It printed nothing.' : `It printed:\n${details.output}`;
  const text = `${result.llmContent}\nThe command ran on a copy of the workspace and its changes were dropped (${details.summary ?? 'it changed files'}). ${printed}`;
  // A user who said no has seen the output in the question.
  const display = settled.denied?.by === 'person' ? result.returnDisplay : text;
  return { ...settled, result: { ...result, llmContent: text, returnDisplay: display } };
}

async function discard({ tool, params }: PreparedCall, options: SchedulerOptions): Promise<void> {
  try {
    await tool.discard?.(params);
  } catch (error) {
    options.log.error(`${tool.name}.discard failed`, error);
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
