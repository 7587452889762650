import { ToolError } from '../../base/errors.js';
import type { Launch } from '../../host/processes/processes.js';
import { mountOverlay, OverlayError } from '../../host/staging/overlay.js';
import { makeStageFolder, sweepStageFolders } from '../../host/staging/stage-folder.js';
import { isEmptyChangeSet } from '../change-set.js';
import { workspaceLock } from '../commit/intents.js';
import { flagsOf } from './flags.js';
import { type Kept, keepOrDrop } from './keep-or-drop.js';
import { notesOn } from './notes.js';
import { obstacle, roomProblem, sentence, stagedRoots, tryOverlay } from './possible.js';
import { type Outcome, runApart } from './run-apart.js';
import { runWatched } from './run-watched.js';
import type { StagedRun, StagedRunOptions, StagedRuns, StagedRunsParts, Staging } from './staged-run.js';

export function openStagedRuns(parts: StagedRunsParts): StagedRuns {
  const { workspace, state, withLock } = parts;
  const lock = workspaceLock(workspace.directory);
  let tried: Promise<Staging> | undefined;

  async function possible(signal: AbortSignal): Promise<Staging> {
    const roots = stagedRoots(workspace);
    const found = obstacle(roots, state.path);
    if (found !== null) return { possible: false, why: sentence(found) };
    tried ??= tryOverlay(parts, roots, signal).catch((error: unknown) => {
      tried = undefined;
      throw error;
    });
    return tried;
  }

  return {
    possible,
    async run(launch, options) {
      const staging = await possible(options.signal);
      if (!staging.possible) throw new ToolError('failed', staging.why);
      return withLock(lock, () => runStaged(parts, launch, options), options.signal);
    },
    runWatched: (launch, options) => withLock(lock, () => runWatched(parts, launch, options), options.signal),
    async sweep() {
      await sweepStageFolders(state.pathOf('stage', 'runs'), parts.clock.now());
    },
  };
}

async function runStaged(
  parts: StagedRunsParts,
  launch: Launch,
  options: StagedRunOptions,
): Promise<StagedRun> {
  const { signal } = options;
  const stage = await makeStageFolder(await parts.state.make('stage', 'runs'), parts.ids.next());
  try {
    const problem = roomProblem(stage.path);
    if (problem !== null) throw new ToolError('failed', sentence(problem));
    const overlay = await mountOverlay({ folder: stage.path, roots: stagedRoots(parts.workspace), signal });
    let outcome: Outcome;
    try {
      outcome = await runApart(launch, { parts, overlay, stage, run: options });
    } finally {
      await overlay.release();
    }
    const staged = stagedRun(parts, outcome, { stage, overlay });
    if (staged.notKept !== null || isEmptyChangeSet(staged.planned.changeSet)) await staged.drop();
    return staged;
  } catch (error) {
    await stage.remove();
    throw error instanceof OverlayError ? new ToolError('failed', sentence(error.message)) : error;
  }
}

function stagedRun(
  parts: StagedRunsParts,
  outcome: Outcome,
  { stage, overlay }: { stage: Kept['stage']; overlay: { followsRenames: boolean } },
): StagedRun {
  const { ended } = outcome;
  const notes = notesOn(ended, overlay);
  const common = { ended, notes };
  if (outcome.kind === 'not-kept') {
    const { why } = outcome;
    return { ...common, notKept: why, flags: [], refused: [], ...keepOrDrop({ parts, stage, why }) };
  }
  const { changeSet, refused } = outcome;
  return {
    ...common,
    notKept: null,
    refused,
    flags: flagsOf(changeSet.changes, { roots: parts.workspace.roots, ...parts }),
    ...keepOrDrop({ parts, stage, apart: outcome }),
  };
}
