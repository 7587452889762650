import { basename } from 'node:path';
import { ToolError } from '../../base/errors.js';
import { sweepOwnedFolders } from '../../host/leases/owned-folder.js';
import type { Launch } from '../../host/processes/processes.js';
import { salvageCopies } from '../../host/staging/cut-off-runs.js';
import { prepareOverlay } from '../../host/staging/prepare-overlay.js';
import { isEmptyChangeSet } from '../change-set.js';
import { workspaceLock } from '../commit/recovery.js';
import { flagsOf } from './flags.js';
import { type Kept, keepOrDrop } from './keep-or-drop.js';
import { notesOn } from './notes.js';
import {
  obstacle,
  openStage,
  roomProblem,
  sentence,
  stagedRoots,
  type Tried,
  tryOverlay,
} from './possible.js';
import { type Outcome, runOnOverlay } from './run-on-overlay.js';
import { runWatched } from './run-watched.js';
import type { StagedRun, StagedRunOptions, StagedRuns, StagedRunsNeeds, Staging } from './staged-run.js';

export function openStagedRuns(needs: StagedRunsNeeds): StagedRuns {
  const { workspace, state, withLock } = needs;
  const lock = workspaceLock(workspace.directory);
  let tried: Promise<Tried> | undefined;
  let swept: Promise<unknown> | undefined;
  const sweep = () =>
    sweepLeftovers(needs).catch((error: unknown): string[] => {
      needs.log.error('Old stage folders could not be looked at', error);
      return [];
    });

  /** As the only writer; what killed processes left is gone before the first run. */
  async function alone<Result>(act: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    await (swept ??= sweep());
    return withLock(lock, act, signal);
  }

  async function tryOnce(signal: AbortSignal): Promise<Tried> {
    const roots = stagedRoots(workspace);
    const found = obstacle(roots, state.path);
    if (found !== null) return { possible: false, why: sentence(found), mayPass: true };
    tried ??= tryOverlay(needs, roots, signal);
    const trial = tried;
    try {
      const answer = await trial;
      if (!answer.possible && answer.mayPass && tried === trial) tried = undefined;
      return answer;
    } catch (error) {
      if (tried === trial) tried = undefined;
      throw error;
    }
  }

  return {
    async possible(signal): Promise<Staging> {
      const found = await tryOnce(signal);
      return found.possible ? { possible: true } : { possible: false, why: found.why };
    },
    async run(launch, options) {
      const staging = await tryOnce(options.signal);
      if (!staging.possible) throw new ToolError('failed', staging.why);
      const { way } = staging;
      return alone(() => runStaged(needs, launch, { ...options, way }), options.signal);
    },
    runWatched: (launch, options) => alone(() => runWatched(needs, launch, options), options.signal),
    sweep,
  };
}

const MOST_NAMED = 5;

async function sweepLeftovers({ state, workspace, clock, log }: StagedRunsNeeds): Promise<string[]> {
  const told: string[] = [];
  const roots = stagedRoots(workspace);
  await sweepOwnedFolders(state.pathOf('stage', 'runs'), {
    now: clock.now(),
    onProblem: (error) => log.error('An old stage folder could not be removed', error),
    salvage(path) {
      const target = state.pathOf('interrupted', basename(path));
      const saved = salvageCopies(`${path}/before`, { roots, target, now: clock.now() });
      if (saved?.length) told.push(describeSaved(saved.map(workspace.show), target));
      return saved !== null;
    },
  });
  return told;
}

function describeSaved(names: readonly string[], target: string): string {
  const named = names.slice(0, MOST_NAMED).join(', ');
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return `A command that ran in the workspace itself was cut off when Toolwright was killed. What is gone or different since is kept as it was before the command in ${target}: ${named}${more}.`;
}

async function runStaged(
  needs: StagedRunsNeeds,
  launch: Launch,
  { way, ...run }: StagedRunOptions & { way: number },
): Promise<StagedRun> {
  const stage = await openStage(needs);
  try {
    const problem = roomProblem(stage.path);
    if (problem !== null) throw new ToolError('failed', sentence(problem));
    const overlay = await prepareOverlay({ folder: stage.path, roots: stagedRoots(needs.workspace), way });
    let outcome: Outcome;
    try {
      outcome = await runOnOverlay(launch, { needs, overlay, stage, run });
    } finally {
      overlay.release();
    }
    const staged = stagedRun(needs, outcome, { stage, overlay });
    if (staged.notKept !== null || isEmptyChangeSet(staged.planned.changeSet)) await staged.drop();
    return staged;
  } catch (error) {
    await stage.remove();
    throw error;
  }
}

function stagedRun(
  needs: StagedRunsNeeds,
  outcome: Outcome,
  { stage, overlay }: { stage: Kept['stage']; overlay: { followsRenames: boolean } },
): StagedRun {
  const { ended } = outcome;
  const notes = notesOn(ended, overlay);
  const common = { ended, notes };
  if (outcome.kind === 'not-kept') {
    const { why } = outcome;
    return { ...common, notKept: why, flags: [], refused: [], ...keepOrDrop({ needs, stage, why }) };
  }
  const { changeSet, refused } = outcome;
  return {
    ...common,
    notKept: null,
    refused,
    flags: flagsOf(changeSet.changes, { roots: needs.workspace.roots, ...needs }),
    ...keepOrDrop({ needs, stage, found: outcome }),
  };
}
