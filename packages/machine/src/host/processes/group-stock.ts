import type { Host } from '../host.js';
import type { BoundedGroup, BoundedGroups, GroupBounds } from '../platform/processes/linux-process-groups.js';

/** The control groups of commands. One that is empty again serves the next command, because making one takes longer than the look. */
export interface GroupStock {
  take(groups: BoundedGroups, name: string, bounds: GroupBounds): BoundedGroup | null;
  /** Called when its command is over. */
  giveBack(group: BoundedGroup, bounds: GroupBounds): Promise<void>;
  /** Removes the one that waits. */
  close(): void;
}

const RETIRE_PAUSES_MS = [20, 100, 500];

export function createGroupStock({ clock }: Pick<Host, 'clock'>): GroupStock {
  let waiting: { group: BoundedGroup; key: string } | undefined;
  let isClosed = false;
  return {
    take(groups, name, bounds) {
      isClosed = false;
      if (waiting?.key !== JSON.stringify(bounds)) return groups.make(name, bounds);
      const { group } = waiting;
      waiting = undefined;
      return group;
    },
    async giveBack(group, bounds) {
      if (waiting === undefined && !isClosed && isAsNew(group))
        waiting = { group, key: JSON.stringify(bounds) };
      else await remove(group, clock);
    },
    close() {
      isClosed = true;
      waiting?.group.remove();
      waiting = undefined;
    },
  };
}

/** A group can be used again if it is empty and no limit was hit: the kernel keeps such events in the group. */
function isAsNew(group: BoundedGroup): boolean {
  return group.pids().length === 0 && group.memory?.wasExceeded() !== true;
}

/** The kernel needs a moment to forget the last process of a group. */
async function remove(group: BoundedGroup, clock: Host['clock']): Promise<void> {
  if (group.remove()) return;
  for (const pause of RETIRE_PAUSES_MS) {
    await clock.sleep(pause);
    if (group.remove()) return;
  }
}
