import type { Prices, Usage } from '@toolwright/core';
import { costOf } from '@toolwright/core/front-end';
import type { TimelineItem } from './wire.js';

/** Tokens of one answer. */
export interface TurnTokens {
  fresh: number;
  cached: number;
  answer: number;
  /** Dollars; null where no price of the model is known. */
  cost: number | null;
}

/** Milliseconds by kind of work. */
export interface TimeSpent {
  model: number;
  tools: number;
  waiting: number;
}

export interface SessionTotals {
  turns: TurnTokens[];
  time: TimeSpent;
  calls: number;
  asked: number;
  failed: number;
  /** The models that were asked, with their prices; the offline model costs nothing. */
  models: { model: string; prices: Prices | undefined }[];
}

function note(
  { models }: SessionTotals,
  { model, prices }: { model: string; prices?: Prices | undefined },
): void {
  if (models.every((known) => known.model !== model)) models.push({ model, prices });
}

/** Longer gaps are pauses of the user between prompts, or a program that was not running. */
export function totalsOf(items: readonly TimelineItem[]): SessionTotals {
  const totals: SessionTotals = {
    turns: [],
    time: { model: 0, tools: 0, waiting: 0 },
    calls: 0,
    asked: 0,
    failed: 0,
    models: [],
  };
  let prices: Prices | undefined;
  /** The moment at which the model was last asked; null while it is not. */
  let askedModel: number | null = null;
  let callsEnd = 0;
  for (const item of items) {
    const at = Date.parse(item.at);
    if (item.kind === 'start') {
      const { model = '' } = item;
      prices = item.prices;
      if (item.provider !== 'offline') note(totals, { model, prices });
    }
    if (item.kind === 'prompt') askedModel = at;
    if (item.kind === 'call') {
      totals.calls += 1;
      if (item.decision?.outcome !== undefined) totals.asked += 1;
      if (item.state === 'failed') totals.failed += 1;
      const waited = item.decision?.waitedMs ?? 0;
      const end = item.endedAt === undefined ? at : Date.parse(item.endedAt);
      // Calls of a batch overlap: the time between two ends counts once.
      const began = Math.max(at, callsEnd);
      totals.time.waiting += waited;
      totals.time.tools += Math.max(0, end - began - waited);
      callsEnd = Math.max(callsEnd, end);
      askedModel = callsEnd;
    }
    if (item.kind === 'answer') {
      if (askedModel !== null) totals.time.model += Math.max(0, at - askedModel);
      askedModel = null;
      if (item.by && item.by.model !== 'offline') note(totals, item.by);
      if (item.usage) totals.turns.push(turnOf(item.usage, item.by ? item.by.prices : prices));
    }
    if (item.kind === 'usage') {
      if (item.by.model !== 'offline') note(totals, item.by);
      totals.turns.push(added(totals.turns.pop(), turnOf(item.usage, item.by.prices)));
    }
  }
  return totals;
}

/** A turn with what worked for it: its cost is known as far as prices are. */
function added(turn: TurnTokens | undefined, used: TurnTokens): TurnTokens {
  if (!turn) return used;
  return {
    fresh: turn.fresh + used.fresh,
    cached: turn.cached + used.cached,
    answer: turn.answer + used.answer,
    cost: turn.cost === null ? used.cost : turn.cost + (used.cost ?? 0),
  };
}

function turnOf(usage: Usage, prices: Prices | undefined): TurnTokens {
  const { inputTokens, cachedTokens = 0, outputTokens } = usage;
  return {
    fresh: Math.max(0, inputTokens - cachedTokens),
    cached: cachedTokens,
    answer: outputTokens,
    cost: prices ? costOf(usage, prices) : null,
  };
}
