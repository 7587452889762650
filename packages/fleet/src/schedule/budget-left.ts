import type { TaskBudget } from '../tasks/task.js';
import type { TaskUsage } from './record.js';

/** The part of a budget that is left; what is undefined has no limit. */
export interface BudgetLeft {
  turns?: number;
  tokens?: number;
  cost?: number;
  ms?: number;
}

const MINUTE_MS = 60_000;

/** The part of its budget that a task may still use; its deliveries share it. */
export function budgetLeft(
  { turns, tokens, minutes, cost }: TaskBudget = {},
  { turns: taken, inputTokens, outputTokens, cost: spent, ms = 0 }: TaskUsage,
): BudgetLeft {
  const left = (most: number | undefined, used: number): number | undefined =>
    most === undefined ? undefined : Math.max(0, most - used);
  return {
    turns: left(turns, taken),
    tokens: left(tokens, inputTokens + outputTokens),
    cost: left(cost, spent),
    ms: left(minutes === undefined ? undefined : Math.ceil(minutes * MINUTE_MS), ms),
  };
}
