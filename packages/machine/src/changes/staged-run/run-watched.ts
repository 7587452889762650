import { deadlineIn } from '../../host/deadline.js';
import type { Launch } from '../../host/processes/processes.js';
import { compareSnapshot, type SnapshotOptions, takeSnapshot } from '../../host/staging/snapshot.js';
import { chunksOfFile } from '../../host/staging/tree-entry.js';
import { afterLinks } from '../../host/workspace.js';
import { isEmptyChangeSet } from '../change-set.js';
import { flagsOf, planDifferences, showChanges } from './plan-differences.js';
import { openStage, stagedRoots } from './possible.js';
import type { Refused, StagedRunsNeeds, WatchedRun, WatchedRunOptions } from './staged-run.js';

/** A command that was cancelled has done something all the same, and that must be found. */
const LOOKING_LIMIT_MS = 120_000;

/** Copies what the command could change, runs it in the workspace itself, and records what it did. */
export async function runWatched(
  needs: StagedRunsNeeds,
  launch: Launch,
  options: WatchedRunOptions,
): Promise<WatchedRun> {
  const stage = await openStage(needs);
  try {
    const looking: SnapshotOptions = {
      roots: stagedRoots(needs.workspace),
      except: afterLinks(needs.state.path),
      folder: `${stage.path}/before`,
      signal: options.signal,
      limits: options.limits,
    };
    const snapshot = await takeSnapshot(looking);
    const { ended, confined } = await runDirectly(needs, launch, options);
    const signal = deadlineIn(LOOKING_LIMIT_MS);
    const found = await compareSnapshot(snapshot, { ...looking, signal });
    const planned = await planDifferences(found.differences, { id: needs.ids.next(), signal });
    const notUndoable = [
      ...found.uncopied.map(
        ({ path }): Refused => ({ path, why: 'it was not copied beforehand (too many files, or too large)' }),
      ),
      ...found.unusable,
      ...planned.refused,
    ];
    const { diff } = await showChanges(planned.changeSet.changes, {
      ...planned,
      ...needs,
      show: needs.workspace.show,
    });
    const { changeSet, replaced } = planned;
    const isEmpty = isEmptyChangeSet(changeSet);
    if (!isEmpty) {
      await needs.changes.recordDone(changeSet, (hash) => chunksOfFile(replaced.get(hash)!.at), options);
    }
    return {
      ended,
      confined,
      changeSet: isEmpty ? null : changeSet,
      diff,
      flags: flagsOf(changeSet.changes, { ...needs.workspace, ...needs }),
      notUndoable,
      notes: snapshot.isPartial ? [PARTIAL] : [],
    };
  } finally {
    await stage.remove();
  }
}

const PARTIAL =
  "The workspace holds more files than can be watched; what the command did to the others is not known and can't be undone.";

async function runDirectly(
  { processes }: StagedRunsNeeds,
  launch: Launch,
  { confinement, origin: _, limits: __, onCopy: ___, ...options }: WatchedRunOptions,
): Promise<Pick<WatchedRun, 'ended' | 'confined'>> {
  const confined = (await confinement?.sandbox.confine(launch, confinement.profile, options.signal)) ?? null;
  try {
    return { ended: await processes.run(confined?.launch ?? launch, options), confined };
  } finally {
    await confined?.release();
  }
}
