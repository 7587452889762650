import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { isToolError, ToolError } from '../../base/errors.js';
import { type OwnedFolder, sweepOwnedFolders } from '../../host/leases/owned-folder.js';
import type { BlobSource } from '../../host/objects/before-images.js';
import type { Ended, Launch } from '../../host/processes/processes.js';
import { prepareCopy } from '../../host/staging/copy.js';
import { prepareOverlay } from '../../host/staging/overlay.js';
import { salvageCopies } from '../../host/staging/snapshot.js';
import { readWhole } from '../../host/staging/tree-entry.js';
import type { View } from '../../host/staging/view.js';
import {
  type ChangeSet,
  type FileChange,
  isEmptyChangeSet,
  type PlannedChanges,
  stateBefore,
} from '../change-set.js';
import { workspaceLock } from '../commit/recovery.js';
import { flagsOf } from './plan-differences.js';
import {
  type MountOverlay,
  obstacle,
  openStage,
  planCopy,
  roomProblem,
  sentence,
  stagedRoots,
  type Tried,
  trialOn,
  tryOverlay,
} from './possible.js';
import { type FoundChanges, type Outcome, runOnOverlay } from './run-on-overlay.js';
import { runWatched } from './run-watched.js';
import type { StagedRun, StagedRunOptions, StagedRuns, StagedRunsNeeds, Staging } from './staged-run.js';

export function openStagedRuns(needs: StagedRunsNeeds): StagedRuns {
  const { workspace, state, withLock } = needs;
  const tryOnce = rememberTrial(needs);
  /** Views do not see each other's changes, so their commands run side by side. */
  const lock = (): string => workspaceLock(needs.whereabouts?.view?.folder ?? workspace.directory);
  const isCopied = (): boolean => needs.whereabouts?.view?.way === 'copy';
  let swept: Promise<unknown> | undefined;
  const sweep = () =>
    sweepLeftovers(needs).catch((error: unknown): string[] => {
      needs.log.error('Old stage folders could not be looked at', error);
      return [];
    });

  /** Acts as the only writer; leftovers of killed processes are gone before the first run. */
  async function alone<Result>(act: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    await (swept ??= sweep());
    return withLock(lock(), act, signal);
  }

  async function wayToOverlay(signal: AbortSignal, mount?: MountOverlay): Promise<number> {
    const found = await tryOnce(signal, mount);
    if (found.possible) return found.way;
    throw new ToolError('failed', found.why);
  }

  /** A command that is worth it runs on a plain copy where there is no overlay. */
  async function wayTo({ onCopy, signal }: StagedRunOptions): Promise<View['way']> {
    if (isCopied()) return 'copy';
    const found = await tryOnce(signal);
    if (found.possible) return found.way;
    if (!onCopy) throw new ToolError('failed', found.why);
    onCopy(await planCopy({ state, roots: stagedRoots(workspace), why: found.why }, signal));
    return 'copy';
  }

  return {
    async possible(signal): Promise<Staging> {
      if (isCopied()) return { possible: true };
      const found = await tryOnce(signal);
      return found.possible ? { possible: true } : { possible: false, why: found.why };
    },
    wayToOverlay,
    async run(launch, options) {
      const way = await wayTo(options);
      return alone(() => runStaged(needs, launch, { ...options, way }), options.signal);
    },
    runWatched: (launch, options) => alone(() => runWatched(needs, launch, options), options.signal),
    sweep,
  };
}

/** Tries once whether an overlay can be mounted; again only after an answer that may change. */
function rememberTrial(
  needs: StagedRunsNeeds,
): (signal: AbortSignal, mount?: MountOverlay) => Promise<Tried> {
  let tried: Promise<Tried> | undefined;
  return async (signal, mount) => {
    const roots = stagedRoots(needs.workspace);
    const found = obstacle(roots, needs.state.path);
    if (found !== null) return { possible: false, why: sentence(found), mayPass: true };
    tried ??= tryOverlay(mount ?? trialOn(needs, roots, signal), signal);
    const trial = tried;
    try {
      const answer = await trial;
      if (!answer.possible && answer.mayPass && tried === trial) tried = undefined;
      return answer;
    } catch (error) {
      if (tried === trial) tried = undefined;
      throw error;
    }
  };
}

const MOST_NAMED = 5;

async function sweepLeftovers({ state, workspace, clock, log }: StagedRunsNeeds): Promise<string[]> {
  const told: string[] = [];
  const roots = stagedRoots(workspace);
  await sweepOwnedFolders(state.pathOf('stage', 'runs'), {
    now: clock.now(),
    onProblem: (error) => log.error('Old stage folders could not be removed', error),
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
  { way, ...run }: StagedRunOptions & { way: View['way'] },
): Promise<StagedRun> {
  const stage = await openStage(needs);
  try {
    const problem = roomProblem(stage.path);
    if (problem !== null) throw new ToolError('failed', sentence(problem));
    const view = needs.whereabouts?.view ?? undefined;
    const roots = stagedRoots(needs.workspace);
    const overlay =
      way === 'copy'
        ? await prepareCopy({ folder: stage.path, roots, at: view?.at }, run.signal)
        : prepareOverlay({ folder: stage.path, roots, way, over: view });
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
  const { ended, confined } = outcome;
  const notes = notesOn(ended, overlay);
  const common = { ended, confined, notes };
  if (outcome.kind === 'not-kept') {
    const { why } = outcome;
    return { ...common, notKept: why, flags: [], refused: [], ...keepOrDrop({ needs, stage, why }) };
  }
  const { changeSet, refused } = outcome;
  return {
    ...common,
    notKept: null,
    refused,
    flags: flagsOf(changeSet.changes, { ...needs.workspace, ...needs }),
    ...keepOrDrop({ needs, stage, found: outcome }),
  };
}

interface Kept {
  needs: Pick<StagedRunsNeeds, 'changes' | 'files' | 'workspace' | 'ids'>;
  stage: Pick<OwnedFolder, 'remove'>;
  found?: FoundChanges;
  /** Why nothing can be kept. */
  why?: string;
}

/** The plan of a staged run, and its two ends. */
function keepOrDrop(kept: Kept): Pick<StagedRun, 'planned' | 'keep' | 'replacedContent' | 'drop'> {
  const { needs, stage, found, why } = kept;
  const planned: PlannedChanges = found
    ? { changeSet: found.changeSet, blobs: blobsOf(found.contents), diff: found.diff }
    : { changeSet: nothing(needs.ids.next()), blobs: blobsOf(new Map()), diff: { kind: 'diff', files: [] } };
  let dropped: Promise<void> | undefined;
  const drop = () => (dropped ??= stage.remove());
  return {
    planned,
    drop,
    replacedContent: async (change) => found?.before.get(change.path) ?? presentContent(change, kept),
    async keep({ part = planned, ...options }) {
      if (why !== undefined) throw new ToolError('conflict', why);
      try {
        return await needs.changes.commit(part, options);
      } catch (error) {
        throw await withWhatOthersDid(error, kept);
      } finally {
        await drop();
      }
    },
  };
}

/** Large files are not held in memory; the workspace still has them unless somebody changed them. */
async function presentContent(change: FileChange, { needs }: Kept): Promise<Uint8Array | null> {
  const before = stateBefore(change);
  const present = before.kind === 'file' ? await needs.files.read(change.path).catch(() => null) : null;
  return before.kind === 'file' && present?.hash === before.hash ? present.bytes : null;
}

function nothing(id: string): ChangeSet {
  return { v: 1, id, changes: [], directories: [], removedDirectories: [] };
}

/** Reads contents only when a commit asks, and believes them only while they still are what the user saw. */
function blobsOf(contents: FoundChanges['contents']): BlobSource {
  return {
    async read(hash) {
      const entry = contents.get(hash);
      const bytes = entry && (await readWhole(entry.at));
      if (bytes && createHash('sha256').update(bytes).digest('hex') === hash) return bytes;
      throw new ToolError('conflict', 'What the command wrote is not there any more. Run it again.');
    },
  };
}

const MOST_SHOWN = 4_000;

/** A conflict says which files; this adds what happened to them. */
async function withWhatOthersDid(error: unknown, { needs, found }: Kept): Promise<unknown> {
  if (!isToolError(error) || error.code !== 'conflict' || !found) return error;
  const { diffFile } = await import('../../base/diff.js');
  let shown = '';
  for (const [path, before] of found.before) {
    if (shown.length > MOST_SHOWN) break;
    const present = await needs.files.read(path).catch(() => null);
    if (present && Buffer.compare(present.bytes, before) === 0) continue;
    const after = present?.bytes ?? null;
    shown += (await diffFile({ path: needs.workspace.show(path), before, after })).unified;
  }
  if (shown === '') return error;
  const text = shown.length > MOST_SHOWN ? `${shown.slice(0, MOST_SHOWN)}\n(cut here)` : shown;
  return new ToolError('conflict', `${error.message}\nWhat changed meanwhile:\n${text}`, { cause: error });
}

/**
 * Known effects of staging on a command, recognised by the command's output. Words begin with a rare letter, which makes
 * the search through megabytes fast.
 */
const signs: readonly { words: readonly string[]; note: string; unless?: 'followsRenames' }[] = [
  {
    words: ['EXDEV', '-device link'],
    unless: 'followsRenames',
    note: 'The command failed with EXDEV: while a command runs on a copy, a folder that was there before can not be renamed in one step; programs that fall back to copying (mv does) are not affected. Copy the folder and remove the old one instead (cp -a old new && rm -rf old).',
  },
  {
    words: ['EOVERFLOW', 'Value too large for defined data type', 'value too large for defined data type'],
    note: "The command failed with EOVERFLOW: while a command runs on a copy, files that belong to another user or group can't be changed. Change their owner, or let the user run the command.",
  },
  {
    words: ['ENOSPC', 'pace left on device'],
    note: 'The command ran into a full disk. While a command runs on a copy, its changes need room in the state folder, and changing a large file takes a copy of all of it. Nothing in the workspace was lost.',
  },
];

export function notesOn(ended: Ended, overlay: { followsRenames: boolean }): string[] {
  const said = [ended.stdout, ended.stderr].flatMap(({ head, tail }) => [head, tail]);
  return signs
    .filter(({ unless }) => !(unless && overlay[unless]))
    .filter(({ words }) => said.some((text) => words.some((word) => text.includes(word))))
    .map(({ note }) => note);
}
