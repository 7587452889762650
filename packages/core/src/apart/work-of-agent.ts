import type { Effect } from '@toolwright/machine/base/effect.js';
import { isToolError, ToolError } from '@toolwright/machine/base/errors.js';
import { oneAtATime } from '@toolwright/machine/base/one-at-a-time.js';
import type { KeptWork, ReviewedWork } from '@toolwright/machine/changes/apart/work-apart.js';
import { type ChangeSet, effectsOf, summarize } from '@toolwright/machine/changes/change-set.js';
import { flagsOf } from '@toolwright/machine/changes/staged-run/plan-differences.js';
import { deadlineIn } from '@toolwright/machine/host/deadline.js';
import type { Host, Ids } from '@toolwright/machine/host/host.js';
import { rememberRecent } from '@toolwright/machine/host/state/journal.js';
import { isInside, type SessionWorkspace } from '@toolwright/machine/host/workspace.js';
import type { Permission } from '../permission/permission.js';
import type { Session } from '../session/session.js';
import type { AgentReport, MergedChanges, WorkApart } from '../tools/pieces/agent.js';
import { warningsOf } from '../tools/shell/path-warnings.js';
import type { SessionApart } from './session-apart.js';

/** The toolbox of one agent, whose session works apart. */
export interface RoomOfAgent {
  host: Pick<Host, 'workspace'>;
  permission: Permission;
  apart: SessionApart;
  close(): Promise<void>;
}

const END_LIMIT_MS = 60_000;

/** The changes of an agent that is done. Where there are none, or once they are merged or dropped, its room is closed. */
export async function workOfAgent(
  report: AgentReport,
  room: RoomOfAgent,
  signal: AbortSignal,
): Promise<WorkApart> {
  const { apart, host, permission } = room;
  const reviewed = await apart.review(signal);
  const { planned, refused, review } = reviewed;
  if (review.items.length === 0 && refused.length === 0) {
    await leaveRoom(room);
    return { report, changes: null };
  }
  const { workspace } = host;
  const { changes } = planned.changeSet;
  const flags = flagsOf(changes, { ...workspace, guard: permission });
  const leaving = new Set(flags.filter(({ leaves }) => leaves).map(({ path }) => path));
  return {
    report,
    changes: {
      summary: summarize(planned.changeSet),
      diff: planned.diff,
      effects: effectsOf(planned.changeSet).map(
        (effect): Effect =>
          effect.kind === 'write' && leaving.has(effect.path) ? { ...effect, leaves: true } : effect,
      ),
      warnings: warningsOf([...flags, ...refused], workspace.show),
      merge: (within) => merge(room, reviewed, within),
      drop: () => leaveRoom(room),
    },
  };
}

/** Drops what is left of the work. */
export async function leaveRoom({ apart, close }: Pick<RoomOfAgent, 'apart' | 'close'>): Promise<void> {
  try {
    if (apart.id !== null) await apart.drop('all', deadlineIn(END_LIMIT_MS));
  } finally {
    await close();
  }
}

/** Merges run one after the other, so that each sees what those before it brought to the workspace. */
const oneMerge = oneAtATime();

/** Merges the work into the workspace. Work that can't be merged is not lost: it waits as a session apart. */
async function merge(
  room: RoomOfAgent,
  { review, refused }: ReviewedWork,
  signal: AbortSignal,
): Promise<MergedChanges> {
  const { apart, host } = room;
  const { show } = host.workspace;
  const waits = `What was left out waits: the user can look at it with toolwright apart review ${apart.id}.`;
  const keeping = oneMerge(() => apart.keep({ digest: review.digest, choice: 'all' }, signal));
  const kept = await keeping.catch(async (error: unknown) => {
    await room.close();
    throw isToolError(error) ? new ToolError(error.code, `${error.message} ${waits}`) : error;
  });
  const isAll = kept.conflicts.length === 0;
  await (isAll ? leaveRoom(room) : room.close());
  const left = [...kept.conflicts, ...refused].map(({ path, why }) => `${show(path)} was left out: ${why}.`);
  return {
    changeSet: kept.changeSet?.id,
    notes: [...mergedNotes(kept, show), ...left, ...(isAll ? [] : [waits])],
  };
}

function mergedNotes({ merged }: KeptWork, show: (path: string) => string): string[] {
  if (merged.length === 0) return [];
  return [`${merged.map(show).join(', ')} had other changes meanwhile, which are kept beside these.`];
}

/**
 * The journal of the conversation, for the toolbox of an agent that works apart: its calls and what is merged of its work are
 * entries there; what it changes in its copy alone is not.
 */
export function journalOfAgent(
  conversation: Session,
  { ids, workspace }: { ids: Ids; workspace: SessionWorkspace },
): Session {
  const nothing = async (): Promise<void> => undefined;
  const recentChanges = new Map<string, ChangeSet>();
  return {
    id: ids.next(),
    journalPath: conversation.journalPath,
    recordCall: conversation.recordCall,
    recordHook: conversation.recordHook,
    recentChanges,
    async recordChanges(changeSet, origin) {
      if (origin?.apart === undefined) await conversation.recordChanges(changeSet, origin);
      rememberRecent(changeSet, recentChanges);
    },
    async saveOutput(name, content) {
      const path = await conversation.saveOutput(name, content);
      const folder = path.slice(0, path.lastIndexOf('/'));
      if (!workspace.roots.some((root) => isInside(folder, root.path))) workspace.addReadOnlyRoot(folder);
      return path;
    },
    claim: nothing,
    recordMessage: nothing,
    recordUsage: nothing,
    recordHistory: nothing,
    recordParked: nothing,
    close: nothing,
  };
}
