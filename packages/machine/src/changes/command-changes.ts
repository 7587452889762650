import { messageOf } from '../base/errors.js';
import { deadlineIn } from '../host/deadline.js';
import type { Ignore } from '../host/ignore/ignore.js';
import type { Workspace } from '../host/workspace.js';
import type { ChangeSet, PlannedChanges } from './change-set.js';
import type { Changes } from './commit.js';

/** Ways to keep a command's changes and to take them back. */
export interface CommandChanges {
  /** False where files that git ignores are asked about like others. */
  readonly keepsIgnored: boolean;
  /** Paths that are kept without a question because git ignores them; to be asked before the changes are committed. */
  ignored(changeSet: ChangeSet): Promise<ReadonlySet<string>>;
  /** Carries out some of the changes. */
  commit(planned: PlannedChanges, signal: AbortSignal): Promise<ChangeSet>;
  /** Takes back changes that were made already; gives the reason when that can't be done. */
  takeBack(done: ChangeSet): Promise<string | null>;
}

export interface CommandChangesNeeds {
  changes: Pick<Changes, 'commit' | 'planUndo'>;
  ignore: Pick<Ignore, 'view'>;
  workspace: Pick<Workspace, 'place' | 'rootOf'>;
  /** See `CommandChanges`. */
  keepsIgnored: boolean;
}

/** Loads what it needs when a command has changed something. */
export function createCommandChanges(needs: CommandChangesNeeds): CommandChanges {
  const { changes, keepsIgnored } = needs;
  return {
    keepsIgnored,
    ignored: async (changeSet) => (keepsIgnored ? ignoredBefore(changeSet, needs) : new Set()),
    commit: (planned, signal) => changes.commit(planned, { signal }),
    takeBack: (done) => takeBack(changes, done),
  };
}

/** Changes to files that git ignored before the command ran: it may have written a .gitignore of its own. */
async function ignoredBefore(
  changeSet: ChangeSet,
  { ignore, workspace }: Pick<CommandChangesNeeds, 'ignore' | 'workspace'>,
): Promise<ReadonlySet<string>> {
  const { lookAtSync } = await import('../host/state/inspect-files.js');
  const { createTrackedCheck } = await import('../host/git/git-configurations.js');
  const { ignoredChanges } = await import('./staged-run/ignored-changes.js');
  return ignoredChanges(changeSet, {
    ignore,
    isTracked: createTrackedCheck(workspace.place),
    exists: (path) => lookAtSync(workspace.place.at(path)) !== null,
    rootOf: workspace.rootOf,
  });
}

const TAKE_BACK_LIMIT_MS = 60_000;

/** Takes changes back, even when the call was cancelled: the command has made them all the same. */
async function takeBack(changes: CommandChangesNeeds['changes'], done: ChangeSet): Promise<string | null> {
  const signal = deadlineIn(TAKE_BACK_LIMIT_MS);
  try {
    const plan = await changes.planUndo(done, signal);
    if (plan.kind === 'ready') await changes.commit(plan.planned, { signal });
    return plan.kind === 'refused' ? plan.reason : null;
  } catch (error) {
    return messageOf(error);
  }
}
