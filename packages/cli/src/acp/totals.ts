import type { AgentEvent } from '@toolwright/core';
import type { Totals } from '../app/state.js';

export function emptyTotals(): Totals {
  return {
    ...{ prompts: 0, turns: 0, calls: 0, failedCalls: 0 },
    ...{ inputTokens: 0, outputTokens: 0, cachedTokens: 0, changes: 0 },
  };
}

/** Counts what a session used, for `/stats`. */
export function countEvent(totals: Totals, event: AgentEvent): void {
  if (event.type === 'call-end') {
    totals.calls += 1;
    if (event.error) totals.failedCalls += 1;
  }
  if (event.type !== 'result') return;
  const { turns, usage, changes } = event.result;
  totals.prompts += 1;
  totals.turns += turns;
  totals.inputTokens += usage.inputTokens;
  totals.outputTokens += usage.outputTokens;
  totals.cachedTokens += usage.cachedTokens ?? 0;
  totals.changes += changes.length;
}
