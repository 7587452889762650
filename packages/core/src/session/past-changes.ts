import type { ChangeSet } from '@toolwright/machine/changes/change-set.js';
import type { UndoPlan } from '@toolwright/machine/changes/undo.js';
import type { StateFolder } from '@toolwright/machine/host/state/state-folder.js';
import type { CallRecord } from './call-record.js';
import { orderOf, readJournal } from './journal.js';
import { journalsOf } from './saved-sessions.js';

export interface PastCall {
  callId: string;
  tool: string;
  /** The command it ran, if any. */
  command?: string;
  /** The user typed that command. */
  isOwn?: true;
  /** Places outside the workspace that it was allowed to write: no undo takes back what it wrote there. */
  wroteOutside?: string[];
}

/** A committed change set of this workspace, with the call it belongs to. */
export interface PastChange {
  changeSet: ChangeSet;
  sessionId: string;
  at: string;
  /** The call that made it, as far as the journal knows. */
  call?: PastCall;
  /** The user's command that made it, where it was no call. */
  by?: string;
  /** The session apart in whose view it was made; absent for changes of the workspace itself. */
  apart?: string;
  /** The change set this one took back. */
  undoes?: string;
  /** The change set that took this one back. */
  undoneBy?: string;
}

/** `order` sorts changes of all sessions by when they were made, even if the clock was set back. */
type OrderedChange = PastChange & { order: string };

/** Every change set of the workspace's sessions, oldest first. */
export async function pastChanges(
  state: StateFolder,
  workspace: string,
  signal?: AbortSignal,
): Promise<PastChange[]> {
  const changes: OrderedChange[] = [];
  for (const path of await journalsOf(state, workspace)) changes.push(...(await changesIn(path, signal)));
  changes.sort((left, right) => (left.order < right.order ? -1 : left.order > right.order ? 1 : 0));
  // After a crash a change set may have been recorded twice.
  const byId = new Map(changes.toReversed().map((change) => [change.changeSet.id, change]));
  // Newest first: an undo that was itself taken back undoes nothing.
  for (const change of byId.values()) {
    const undone = change.undoes && !change.undoneBy ? byId.get(change.undoes) : undefined;
    if (undone) undone.undoneBy = change.changeSet.id;
  }
  return changes
    .filter((change) => byId.get(change.changeSet.id) === change)
    .map(({ order: _order, ...change }) => change);
}

/** The latest change that still stands, with the plan to undo it. Skips changes already reverted by hand. */
export async function latestToUndo(
  changes: readonly PastChange[],
  plan: (change: PastChange) => Promise<UndoPlan>,
): Promise<{ change: PastChange; plan: UndoPlan } | undefined> {
  for (const change of changes.toReversed()) {
    if (change.undoes || change.undoneBy) continue;
    const planned = await plan(change);
    if (planned.kind !== 'nothing') return { change, plan: planned };
  }
  return undefined;
}

async function changesIn(path: string, signal?: AbortSignal): Promise<OrderedChange[]> {
  const changes: OrderedChange[] = [];
  const open = new Map<string, PastCall>();
  let sessionId = '';
  for await (const entry of readJournal(path, signal)) {
    switch (entry.type) {
      case 'session-start':
        sessionId = entry.sessionId;
        break;
      case 'call-start':
        open.set(entry.callId, callOf(entry));
        break;
      case 'call-decision': {
        // A command that the user changed is known from the effects that were decided about.
        const call = open.get(entry.callId);
        const ran = entry.effects?.find((effect) => effect.kind === 'execute');
        if (call?.command !== undefined && ran) call.command = ran.command;
        break;
      }
      case 'changes': {
        const { changeSet, undoes, by, apart, at } = entry;
        changes.push({
          changeSet,
          sessionId,
          at,
          order: orderOf(entry),
          undoes,
          by,
          apart,
        });
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

function callOf({ callId, tool, args, effects }: CallRecord & { type: 'call-start' }): PastCall {
  const { command } = args;
  const outside = (effects ?? []).flatMap((effect) =>
    effect.kind === 'outside' && effect.access === 'write' ? [effect.path] : [],
  );
  const isOwn = effects?.some((effect) => effect.kind === 'execute' && effect.own);
  return {
    callId,
    tool,
    command: typeof command === 'string' ? command : undefined,
    isOwn: isOwn ? true : undefined,
    wroteOutside: outside.length > 0 ? outside : undefined,
  };
}

/** A call killed after its commit and before its answer: the change is the last one nobody claims. */
function nameInterrupted(changes: PastChange[], open: PastCall[]): void {
  const unclaimed = changes.filter(({ call, undoes, by }) => !call && !undoes && !by);
  if (open.length === 1 && unclaimed.length === 1) unclaimed[0]!.call = open[0];
}
