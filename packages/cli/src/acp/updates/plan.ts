import type { PlanEntry, SessionUpdate } from '@agentclientprotocol/sdk';
import type { Agent } from '@toolwright/core';
import type { ReviewItem, TodoItem } from '@toolwright/core/front-end';

/** The model's list of things to do, then the changes that wait apart: an entry for each file, done once it was kept or dropped. */
export interface SessionPlan {
  todo(items: readonly TodoItem[]): void;
  show(agent: Pick<Agent, 'apart' | 'host'>, signal: AbortSignal): Promise<void>;
}

const MOST_ENTRIES = 200;

const states = { open: 'pending', active: 'in_progress', done: 'completed' } as const;

export function createSessionPlan(send: (update: SessionUpdate) => void): SessionPlan {
  let shown = new Map<string, PlanEntry>();
  let list: PlanEntry[] = [];
  const tell = (): void =>
    send({ sessionUpdate: 'plan', entries: [...list, ...shown.values()].slice(0, MOST_ENTRIES) });
  return {
    todo(items) {
      list = items.map(({ text, state }) => ({
        content: text,
        priority: 'medium',
        status: states[state],
      }));
      tell();
    },
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
      tell();
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
