import { deadlineIn } from '@toolwright/machine/host/deadline.js';
import { costOf } from '../model/catalogue/model-table.js';
import type { Prices } from '../model/model.js';
import type { AgentResult, EndReason } from './events.js';

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
  { turns, usage }: Pick<AgentResult, 'turns' | 'usage'>,
  budget: Budget,
  prices: Prices | undefined,
): EndReason | null {
  if (turns >= (budget.turns ?? Number.POSITIVE_INFINITY)) return 'turn-limit';
  if (turns === 0) return null;
  if (usage.inputTokens + usage.outputTokens >= (budget.tokens ?? Number.POSITIVE_INFINITY))
    return 'token-limit';
  const spent = prices ? costOf(usage, prices) : 0;
  return spent >= (budget.cost ?? Number.POSITIVE_INFINITY) ? 'cost-limit' : null;
}

/** Gives a prompt `ms` at most; one that this cuts off ends for the reason `time-limit`. */
export async function withinTime(
  ms: number | undefined,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<AgentResult>,
): Promise<AgentResult> {
  if (ms === undefined) return work(signal);
  const deadline = deadlineIn(ms);
  const result = await work(AbortSignal.any([signal, deadline]));
  if (result.reason === 'cancelled' && deadline.aborted && !signal.aborted) result.reason = 'time-limit';
  return result;
}
