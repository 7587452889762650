import type { ChangeSet } from '@toolwright/machine/changes/change-set.js';
import type { Changes } from '@toolwright/machine/changes/commit.js';
import { deadlineIn } from '@toolwright/machine/host/deadline.js';
import type { GatheredChanges } from './gathered-changes.js';

/** Change sets as they are made, until nobody wants to know of them any more. */
export interface MadeChanges {
  note(changeSet: ChangeSet): void;
  /** From now on each one is told; the function that is given ends that. */
  follow(each: (changeSet: ChangeSet) => void): () => void;
}

const TAKE_BACK_MS = 60_000;

/** In a session apart changes are made in its view at once, and taken back one by one where they shall not count. */
export function gatherApart(changes: Changes, made: MadeChanges): GatheredChanges {
  const own: ChangeSet[] = [];
  const end = made.follow((changeSet) => void own.push(changeSet));
  return {
    async review() {
      end();
      return null;
    },
    keep: async () => ({ changeSet: null, conflicts: [], merged: [] }),
    async drop() {
      end();
      // It goes on when the call was cancelled.
      const signal = deadlineIn(TAKE_BACK_MS);
      const left: string[] = [];
      for (const changeSet of own.splice(0).toReversed()) {
        const plan = await changes.planUndo(changeSet, signal);
        if (plan.kind === 'refused') left.push(plan.reason);
        if (plan.kind === 'ready')
          await changes.commit(plan.planned, { signal, origin: { undoes: changeSet.id } });
      }
      return left;
    },
  };
}

export function createMadeChanges(): MadeChanges {
  const followers = new Set<(changeSet: ChangeSet) => void>();
  return {
    note(changeSet) {
      for (const each of followers) each(changeSet);
    },
    follow(each) {
      followers.add(each);
      return () => void followers.delete(each);
    },
  };
}
