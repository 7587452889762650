import type { ChangeSet } from '../changes/change-set.js';
import type { UndoPlan } from '../changes/undo.js';
import type { StateFolder } from '../host/state/state-folder.js';
import { readJournal } from './journal.js';
import { journalsOf } from './saved-sessions.js';

/** One committed change set of this workspace, with the call it belongs to. */
export interface PastChange {
  changeSet: ChangeSet;
  sessionId: string;
  at: string;
  /** The call that made it, as far as the journal knows. */
  call?: { callId: string; tool: string };
  /** The change set this one took back. */
  undoes?: string;
  /** The change set that took this one back. */
  undoneBy?: string;
}

/** Every change set of the workspace's sessions, oldest first. */
export async function pastChanges(
  state: StateFolder,
  workspace: string,
  signal?: AbortSignal,
): Promise<PastChange[]> {
  const changes: PastChange[] = [];
  for (const path of await journalsOf(state, workspace)) changes.push(...(await changesIn(path, signal)));
  changes.sort((left, right) => (left.at < right.at ? -1 : left.at > right.at ? 1 : 0));
  // After a crash a change set may have been recorded twice.
  const byId = new Map(changes.toReversed().map((change) => [change.changeSet.id, change]));
  // Newest first: an undo that was itself taken back undoes nothing.
  for (const change of byId.values()) {
    const undone = change.undoes && !change.undoneBy ? byId.get(change.undoes) : undefined;
    if (undone) undone.undoneBy = change.changeSet.id;
  }
  return changes.filter((change) => byId.get(change.changeSet.id) === change);
}

/** The latest change that still stands, with the way back. One of which nothing is left, by hand say, is passed over. */
export async function latestToUndo(
  changes: readonly PastChange[],
  plan: (changeSet: ChangeSet) => Promise<UndoPlan>,
): Promise<{ change: PastChange; plan: UndoPlan } | undefined> {
  for (const change of changes.toReversed()) {
    if (change.undoes || change.undoneBy) continue;
    const planned = await plan(change.changeSet);
    if (planned.kind !== 'nothing') return { change, plan: planned };
  }
  return undefined;
}

async function changesIn(path: string, signal?: AbortSignal): Promise<PastChange[]> {
  const changes: PastChange[] = [];
  const open = new Map<string, { callId: string; tool: string }>();
  let sessionId = '';
  for await (const entry of readJournal(path, signal)) {
    switch (entry.type) {
      case 'session-start':
        sessionId = entry.sessionId;
        break;
      case 'call-start':
        open.set(entry.callId, { callId: entry.callId, tool: entry.tool });
        break;
      case 'changes': {
        const { changeSet, undoes, at } = entry;
        changes.push({ changeSet, sessionId, at, ...(undoes ? { undoes } : {}) });
        break;
      }
      case 'call-end': {
        const call = open.get(entry.callId);
        const change = changes.find(({ changeSet }) => changeSet.id === entry.changeSet);
        if (change && call) change.call = call;
        open.delete(entry.callId);
        break;
      }
    }
  }
  nameInterrupted(changes, [...open.values()]);
  return changes;
}

/** A call killed after its commit and before its answer: the change is the last one nobody claims. */
function nameInterrupted(changes: PastChange[], open: { callId: string; tool: string }[]): void {
  const unclaimed = changes.filter(({ call, undoes }) => !call && !undoes);
  if (open.length === 1 && unclaimed.length === 1) unclaimed[0]!.call = open[0];
}
