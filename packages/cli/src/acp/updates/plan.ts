import type { PlanEntry, SessionUpdate } from '@agentclientprotocol/sdk';
import type { Agent, ReviewItem } from '@toolwright/core';

/** The changes that wait apart, shown as a plan: an entry for each file, done once it was kept or dropped. */
export interface WaitingPlan {
  show(agent: Pick<Agent, 'apart' | 'host'>, signal: AbortSignal): Promise<void>;
}

const MOST_ENTRIES = 200;

export function createWaitingPlan(send: (update: SessionUpdate) => void): WaitingPlan {
  let shown = new Map<string, PlanEntry>();
  return {
    async show({ apart, host }, signal) {
      if (signal.aborted || (apart.id === null && shown.size === 0)) return;
      const items = apart.id === null ? [] : (await apart.review(signal)).review.items;
      const waiting = new Map(
        items.map((item) => [item.path, entryOf(item, host.workspace.show(item.path))] as const),
      );
      const settled = [...shown].filter(([path, { status }]) => status === 'pending' && !waiting.has(path));
      const done = settled.map(
        ([path, entry]) => [path, { ...entry, status: 'completed' as const }] as const,
      );
      if (waiting.size === 0 && done.length === 0) return;
      shown = new Map([...done, ...waiting]);
      send({ sessionUpdate: 'plan', entries: [...shown.values()].slice(0, MOST_ENTRIES) });
    },
  };
}

function entryOf({ change, added, removed, warnings }: ReviewItem, name: string): PlanEntry {
  return {
    content: `Review ${name} (${change}, +${added} -${removed}): /review keeps or drops it`,
    priority: warnings.length > 0 || change === 'delete' ? 'high' : 'medium',
    status: 'pending',
  };
}
