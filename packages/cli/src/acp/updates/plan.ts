import type { PlanEntry } from '@agentclientprotocol/sdk';
import type { ReviewItem } from '@toolwright/core';

/** Changes that wait apart, as a plan: one entry for each file, done once it was kept or dropped. */
export function planOfReview(
  items: readonly ReviewItem[],
  { show, settled }: { show(path: string): string; settled: boolean },
): PlanEntry[] {
  return items.map(({ path, change, added, removed, warnings }) => ({
    content: `Review ${show(path)}: ${change}, +${added} -${removed}`,
    priority: warnings.length > 0 || change === 'delete' ? 'high' : 'medium',
    status: settled ? 'completed' : 'pending',
  }));
}
