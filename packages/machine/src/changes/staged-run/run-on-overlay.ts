import { isToolError, ToolError } from '../../base/errors.js';
import { deadlineIn } from '../../host/deadline.js';
import type { OwnedFolder } from '../../host/leases/owned-folder.js';
import type { Launch } from '../../host/processes/processes.js';
import { compareTrees, settleContents } from '../../host/staging/compare-trees.js';
import type { Overlay, OverlayRoot } from '../../host/staging/overlay.js';
import { watchSpace } from '../../host/staging/space.js';
import type { Difference } from '../../host/staging/tree-entry.js';
import { stateAfter } from '../change-set.js';
import { type PlannedDifferences, planDifferences, type ShownDiff, showChanges } from './plan-differences.js';
import { printedBy, sentence } from './possible.js';
import type { StagedRun, StagedRunOptions, StagedRunsNeeds } from './staged-run.js';

/** Changes that a command made, read while its overlay was still there. */
export interface FoundChanges extends PlannedDifferences, ShownDiff {
  kind: 'changes';
}

interface NotKept {
  kind: 'not-kept';
  why: string;
}

export type Outcome = Pick<StagedRun, 'ended' | 'confined'> & (FoundChanges | NotKept);

export interface OverlayRun {
  needs: StagedRunsNeeds;
  overlay: Overlay;
  stage: OwnedFolder;
  run: StagedRunOptions;
}

const DISK_FULL =
  'The command was stopped because the disk that holds its changes was nearly full. Nothing was changed in the workspace; make room, or let it do less.';

/** Runs the command inside the overlay and finds its changes. Throws a `ToolError` when there was no overlay. */
export async function runOnOverlay(launch: Launch, options: OverlayRun): Promise<Outcome> {
  const { stage, run, overlay } = options;
  const room = watchSpace(stage.path, DISK_FULL);
  try {
    const signal = AbortSignal.any([run.signal, room.signal]);
    const { roots, ...ran } = await runInside(launch, options, signal);
    if (room.signal.aborted) return { ...ran, kind: 'not-kept', why: DISK_FULL };
    if (run.signal.aborted && !(run.keepsCancelled && roots))
      return { ...ran, kind: 'not-kept', why: CANCELLED };
    if (roots === null) throw new ToolError('failed', sentence(overlay.problem(printedBy(ran.ended))));
    const found = findChanges(roots, options).catch((error: unknown) => notKeptFor(error, run.signal));
    return { ...ran, ...(await found) };
  } finally {
    room.stop();
  }
}

/** The limit for finding the changes of a cancelled command that are wanted all the same. */
const FIND_LIMIT_MS = 30_000;

const CANCELLED = 'The command was cancelled; what it had changed so far was dropped.';

/** The output was produced and must reach whoever asked, even if nothing can be kept. */
function notKeptFor(error: unknown, signal: AbortSignal): NotKept {
  if (signal.aborted) return { kind: 'not-kept', why: CANCELLED };
  if (isToolError(error)) return { kind: 'not-kept', why: error.message };
  throw error;
}

interface RanInside extends Pick<StagedRun, 'ended' | 'confined'> {
  /** Null when the overlay did not come about. */
  roots: OverlayRoot[] | null;
}

async function runInside(launch: Launch, options: OverlayRun, signal: AbortSignal): Promise<RanInside> {
  const { confinement, keepsCancelled: _, onCopy: __, ...run } = options.run;
  const { needs, overlay } = options;
  const { standIns } = overlay;
  const started = standIns ? { ...launch, standIns } : launch;
  const confined = (await confinement?.sandbox.confine(started, confinement.profile, signal)) ?? null;
  try {
    const { program, args, environment, directory } = confined?.launch ?? launch;
    const around = overlay.around({ program, args }, { directory, confined: confined?.confined ?? false });
    // The program starts in a folder that we may enter, and goes to its own once it is inside.
    const ended = needs.processes.run({ ...around, environment, directory: '/' }, { ...run, signal });
    const roots = await overlay.hold(ended, signal);
    return { ended: await ended, confined, roots };
  } finally {
    await confined?.release();
  }
}

async function findChanges(
  roots: readonly OverlayRoot[],
  { needs, overlay, stage, run }: OverlayRun,
): Promise<FoundChanges | NotKept> {
  const signal = run.keepsCancelled ? deadlineIn(FIND_LIMIT_MS) : run.signal;
  const differences: Difference[] = [];
  const unusable: PlannedDifferences['refused'] = [];
  for (const root of roots) {
    const found = await compareTrees(root, {
      followsRenames: overlay.followsRenames,
      signal,
      most: needs.mostPlaces,
    });
    differences.push(...found.differences);
    unusable.push(...found.unusable);
  }
  const foreign = differences.filter(({ before }) => before && before.ctimeNs > stage.madeAtNs);
  if (foreign.length > 0) return { kind: 'not-kept', why: changedMeanwhile(foreign, needs.workspace.show) };
  const planned = await planDifferences(differences, { id: needs.ids.next(), signal });
  const contents = await settleContents(writtenBy(planned), {
    roots,
    folder: `${stage.path}/kept`,
  });
  const shown = await showChanges(planned.changeSet.changes, {
    ...needs,
    contents,
    replaced: planned.replaced,
    show: needs.workspace.show,
  });
  return { kind: 'changes', ...planned, ...shown, contents, refused: [...unusable, ...planned.refused] };
}

/** Contents that a commit will need: a file that got another mode brings none. */
function writtenBy({ changeSet, contents }: PlannedDifferences): PlannedDifferences['contents'] {
  const hashes = changeSet.changes
    .filter(({ kind }) => kind === 'create' || kind === 'modify')
    .map(stateAfter)
    .flatMap((state) => (state.kind === 'file' ? [state.hash] : []));
  return new Map(
    hashes.flatMap((hash) => (contents.has(hash) ? [[hash, contents.get(hash)!] as const] : [])),
  );
}

function changedMeanwhile(foreign: readonly Difference[], show: (path: string) => string): string {
  const named = foreign.slice(0, 5).map(({ path }) => show(path));
  const more = foreign.length > 5 ? ` and ${foreign.length - 5} more` : '';
  return `Something else changed ${named.join(', ')}${more} while the command ran, so its changes, which touch the same, were dropped. Look at what changed, then run it again.`;
}
