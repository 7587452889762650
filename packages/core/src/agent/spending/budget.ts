import { deadlineIn, steadyNow } from '@toolwright/machine/host/deadline.js';
import type { AgentResult, EndReason } from '../events.js';

/** Most that one prompt may use; what is left out has no limit. */
export interface Budget {
  /** Answers of the model. */
  turns?: number | undefined;
  calls?: number | undefined;
  /** Tokens sent and received, together. */
  tokens?: number | undefined;
  /** Dollars, by the prices that are known of the model. */
  cost?: number | undefined;
}

/** The limit that forbids another answer of the model, or null. */
export function limitBeforeTurn(
  { turns, usage, cost = 0 }: Pick<AgentResult, 'turns' | 'usage' | 'cost'>,
  budget: Budget,
): EndReason | null {
  if (turns >= (budget.turns ?? Number.POSITIVE_INFINITY)) return 'turn-limit';
  if (usage.inputTokens + usage.outputTokens >= (budget.tokens ?? Number.POSITIVE_INFINITY))
    return 'token-limit';
  return cost >= (budget.cost ?? Number.POSITIVE_INFINITY) ? 'cost-limit' : null;
}

/** Gives a prompt `ms` at most, with the one that it goes on from; one that this cuts off ends for the reason `time-limit`. */
export async function withinTime(
  { ms, earlier }: { ms: number | undefined; earlier: AgentResult | undefined },
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<AgentResult>,
): Promise<AgentResult> {
  if (ms === undefined) return work(signal);
  const { ms: before = 0 } = earlier ?? {};
  const begun = steadyNow();
  const deadline = deadlineIn(Math.max(0, ms - before));
  const result = await work(AbortSignal.any([signal, deadline]));
  if (result.reason === 'cancelled' && deadline.aborted && !signal.aborted) result.reason = 'time-limit';
  result.ms = Math.ceil(before + steadyNow() - begun);
  return result;
}
