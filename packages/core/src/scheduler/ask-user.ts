import { messageOf } from '@toolwright/machine/base/errors.js';
import type { ConfirmRequest, Outcome, Refusal } from './call.js';
import { outcomeProblem } from './contract-problems.js';
import type { SchedulerOptions } from './options.js';
import { boundMessage } from './response.js';

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
