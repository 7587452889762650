import { messageOf } from '@toolwright/machine/base/errors.js';
import { isJsonObject } from '@toolwright/machine/base/json.js';
import type { ConfirmRequest, Outcome, Refusal, SchedulerOptions } from './call.js';
import { boundMessage } from './run-tool.js';

/** The user's answer. A `confirm` that throws, or answers what it can't, refuses the call and is named as the cause. */
export async function askUser(
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

const outcomeKinds: readonly unknown[] = ['once', 'always', 'modify', 'cancel'] satisfies Outcome['kind'][];

/** Null when `confirm` gave an answer that fits its question; else what is wrong with it. */
function outcomeProblem(value: unknown, { tool, offers, modifiable }: ConfirmRequest): string | null {
  if (!isJsonObject(value)) return `${value === null ? 'null' : typeof value} in place of { kind: … }`;
  const { kind, rule, scope, written } = value;
  if (!outcomeKinds.includes(kind))
    return `the kind ${JSON.stringify(kind)}; there are ${outcomeKinds.join(', ')}`;
  if (kind === 'always' && !offers.some((offer) => offer.rule === rule))
    return `the rule ${String(rule)} was not offered`;
  if (kind === 'always' && scope !== 'session' && scope !== 'saved')
    return `the scope ${JSON.stringify(scope)}; there are session and saved`;
  if (kind === 'modify' && !modifiable) return `${tool} can't be modified`;
  if (kind === 'modify' && typeof written !== 'string') return 'modify without a text as written';
  return null;
}
