import type { Grant } from '../permission/permission.js';
import { type ConfirmationDetails, errorResult, type ToolResult } from '../tools/tools.js';
import type { ConfirmRequest, SettledCall } from './call.js';
import { withLiveOutput } from './live-output.js';
import { emitSafely, limitOf, type SchedulerOptions } from './options.js';
import { acceptParams, type PreparedCall } from './prepare-call.js';
import { withTimeLimit } from './time-limit.js';

export type ApprovalOptions = SchedulerOptions & { oneQuestion: OneAtATime };

type Denial = NonNullable<SettledCall['denied']>;

/** What became of a call before its answer is written. */
export interface Settled {
  result: ToolResult;
  notes: readonly string[];
  denied?: Denial;
}

/** From the declared effects over the exact ones to a yes or a no; *modify* goes round again. */
export async function approveCall(
  callId: string,
  first: PreparedCall,
  options: ApprovalOptions,
  signal: AbortSignal,
): Promise<{ prepared: PreparedCall } | (Settled & { denied: Denial })> {
  let prepared = first;
  for (;;) {
    const { tool, params } = prepared;
    try {
      const declared = options.permission.decide({ tool: tool.name, effects: prepared.effects });
      if (declared.decision === 'deny')
        return await refuse(callId, { by: 'rule', reason: declared.reason }, options);
      const details = await withLiveOutput(callId, options, (onUpdate) =>
        withTimeLimit(limitOf(options, signal), (inner) =>
          tool.shouldConfirmExecute(params, inner, onUpdate),
        ),
      );
      const effects = details ? exactEffects(prepared, details) : prepared.effects;
      const answer = await options.oneQuestion(() =>
        question(callId, { prepared, details, effects }, options, signal),
      );
      if (answer === 'go') return { prepared };
      if ('denied' in answer) {
        await discard(prepared, options);
        const refused = await refuse(callId, answer.denied, options);
        return details ? withOutput(refused, details) : refused;
      }
      await discard(prepared, options);
      prepared = await acceptParams(tool, answer.params, prepared.notes);
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

/** A command that ran apart from the workspace has something to say even when its changes are not kept. */
function withOutput(refused: Settled & { denied: Denial }, details: ConfirmationDetails): typeof refused {
  if (details.kind !== 'exec' || details.output === undefined) return refused;
  const { result } = refused;
  const text = `${result.llmContent}\nThe command ran apart from the workspace and its changes were dropped (it ${details.summary ?? 'changed files'}). It printed:\n${details.output}`;
  return { ...refused, result: { ...result, llmContent: text } };
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
