import { ToolError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import { mergeTexts } from '../../base/merge.js';
import { applyEdits } from '../../base/text-codec.js';
import type { PathPolicy } from '../../host/files/denied-paths.js';
import type { Files } from '../../host/files/files.js';
import type { Ids } from '../../host/host.js';
import type { PathGuard } from '../../host/places/path-guard.js';
import { compareTrees } from '../../host/staging/compare-trees.js';
import { bytePath, type Difference, readWhole, type TreeEntry } from '../../host/staging/tree-entry.js';
import type { View } from '../../host/staging/view.js';
import { isInside, type Workspace } from '../../host/workspace.js';
import {
  type ChangeSet,
  changeBetween,
  type EntryState,
  isEmptyChangeSet,
  type PlannedChanges,
  stateAfter,
  stateBefore,
} from '../change-set.js';
import type { Changes } from '../commit.js';
import { type Choice, chooseChanges, hunksOfChange } from '../review/choose.js';
import type { ReviewHunk } from '../review/hunks.js';
import { type Conflict, mergeWithPresent } from '../review/merge-present.js';
import { type Review, reviewOf } from '../review/review.js';
import { flagsOf, planDifferences, showChanges } from '../staged-run/plan-differences.js';
import type { Refused } from '../staged-run/staged-run.js';
import type { Bases } from './bases.js';

/** Work in a view, with what reaches the workspace when some of it is kept. */
export interface WorkApartNeeds {
  view: View;
  bases: Bases;
  /** The files of the view. */
  viewFiles: Files;
  /** The files of the workspace itself. */
  files: Files;
  changes: Pick<Changes, 'commit'>;
  /** Tells in the journal where kept changes come from. */
  origin?: JsonObject;
  workspace: Pick<Workspace, 'roots' | 'place' | 'show'>;
  ids: Pick<Ids, 'next'>;
  guard?: Pick<PathGuard, 'protectedReason'>;
  /** Empty files and folders that a sandbox holds for a while; they are nobody's work. */
  placeholders?(): ReadonlySet<string>;
  /** The deny rules, for paths of the workspace. */
  refusal?: PathPolicy;
}

/** The changes of a view against what the workspace was when each was made. */
export interface ReviewedWork {
  review: Review;
  planned: PlannedChanges;
  /** Entries that can't be kept, and why. */
  refused: Refused[];
  /** Parts of a file that can be kept on their own; null where only the whole can. */
  hunks(path: string): Promise<ReviewHunk[] | null>;
}

/** The outcome of keeping changes. */
export interface KeptWork {
  /** Null when nothing was left to keep. */
  changeSet: ChangeSet | null;
  /** Changes that were left out because the workspace was changed in the same place; they stay in the view. */
  conflicts: Conflict[];
  /** Files that now hold both changes. */
  merged: string[];
}

/** The view must be fresh. */
export async function reviewWork(needs: WorkApartNeeds, signal: AbortSignal): Promise<ReviewedWork> {
  const { view, bases, workspace } = needs;
  const differences: Difference[] = [];
  const refused: Refused[] = [];
  const placeholders = needs.placeholders?.() ?? new Set();
  for (const root of view.roots) {
    const found = await compareTrees(root, { followsRenames: view.followsRenames, signal });
    refused.push(...found.unusable);
    for (const difference of found.differences.filter((each) => !isPlaceholder(each, placeholders))) {
      const base = bases.of(difference.path);
      if (base === undefined) refused.push({ path: difference.path, why: UNKNOWN_BASE });
      else differences.push({ ...difference, before: entryOf(base, difference.before, bases) });
    }
  }
  const found = await planDifferences(differences, { id: needs.ids.next(), signal });
  const { diff } = await showChanges(found.changeSet.changes, { ...needs, ...found, show: workspace.show });
  const planned: PlannedChanges = {
    changeSet: found.changeSet,
    diff,
    blobs: { read: (hash) => contentOf(found.contents, hash) },
  };
  const flags = flagsOf(found.changeSet.changes, { ...needs, ...workspace });
  return {
    review: reviewOf(planned, { flags, show: workspace.show }),
    planned,
    refused: [...refused, ...found.refused],
    async hunks(path) {
      const change = found.changeSet.changes.find((each) => each.path === path);
      return change
        ? ((await hunksOfChange(planned, change, { readBefore: baseReader(bases) }))?.hunks ?? null)
        : null;
    },
  };
}

function isPlaceholder({ path, before, after }: Difference, placeholders: ReadonlySet<unknown>): boolean {
  return before === null && placeholders.has(path) && (after?.kind === 'directory' || after?.size === 0);
}

const UNKNOWN_BASE = 'it differs from the workspace, and nobody noted what it was before';

async function contentOf(contents: ReadonlyMap<string, TreeEntry>, hash: string): Promise<Uint8Array> {
  const entry = contents.get(hash);
  if (entry) return readWhole(entry.at);
  throw new ToolError('conflict', 'A file of the view is not there any more. Review the changes again.');
}

/** The noted state as an entry; `present` tells what a folder is like. */
function entryOf(base: EntryState, present: TreeEntry | null, bases: Bases): TreeEntry | null {
  const nowhere = { at: bytePath(''), size: 0, inode: 0n, mtimeNs: 0n, ctimeNs: 0n };
  switch (base.kind) {
    case 'file':
      return {
        ...nowhere,
        kind: 'file',
        at: bytePath(bases.pathOf(base.hash)),
        mode: base.mode ?? 0o644,
        size: base.size ?? 0,
      };
    case 'symlink':
      return { ...nowhere, kind: 'symlink', mode: 0o777, target: base.target };
    case 'directory':
      return { ...nowhere, ...present, kind: 'directory', mode: base.mode };
    default:
      return null;
  }
}

function baseReader(bases: Bases) {
  return async (change: Parameters<typeof stateBefore>[0]): Promise<Uint8Array | null> => {
    const before = stateBefore(change);
    return before.kind === 'file' ? bases.read(before.hash) : null;
  };
}

export interface KeepWork {
  /** Names the review that was shown. */
  digest: string;
  choice: Choice | 'all';
  /** True to keep nothing when some of it can't be kept: nobody looks at what is left out. */
  allOrNothing?: boolean;
  /** True where the view is dropped afterwards: what is left in it need not be known. */
  isLast?: boolean;
}

/** Keeps chosen changes of what was shown: `digest` names the review. The rest stays in the view. */
export async function keepWork(
  needs: WorkApartNeeds,
  { digest, choice, allOrNothing, isLast }: KeepWork,
  { review, planned: whole, refused }: ReviewedWork,
  signal: AbortSignal,
): Promise<KeptWork> {
  const { files, bases, workspace, ids } = needs;
  if (review.digest !== digest)
    throw new ToolError('conflict', 'The changes are not those that were shown any more. Review them again.');
  const readBefore = baseReader(bases);
  const chosen =
    choice === 'all'
      ? whole
      : await chooseChanges(whole, choice, { id: ids.next(), readBefore, show: workspace.show });
  const { allowed, denied } = withoutDenied(chosen, needs);
  const merging = { files, readBase: readBefore, leftOut: [...denied, ...refused], signal };
  const { planned, conflicts: inTheWay, merged } = await mergeWithPresent(allowed, merging);
  const conflicts = [...denied, ...inTheWay];
  if (allOrNothing && conflicts.length > 0) return { changeSet: null, conflicts, merged: [] };
  const changeSet = isEmptyChangeSet(planned.changeSet)
    ? null
    : await needs.changes.commit(planned, { signal, origin: needs.origin });
  if (isLast) return { changeSet, conflicts, merged };
  for (const path of merged) await mergeIntoView(path, needs, signal);
  await renewBases({ ...planned, changeSet: withoutConflicts(allowed, changeSet, conflicts) }, bases);
  return { changeSet, conflicts, merged };
}

/** The chosen changes that are in the workspace now, whether this commit or somebody else brought them there. */
function withoutConflicts(
  { changeSet: allowed }: PlannedChanges,
  committed: ChangeSet | null,
  conflicts: readonly Conflict[],
): ChangeSet {
  const isKept = ({ path }: { path: string }): boolean =>
    !conflicts.some((each) => isInside(path, each.path));
  const byPath = new Map(committed?.changes.map((change) => [change.path, change]));
  const made = new Set(committed?.directories.map(({ path }) => path));
  const isOther = ({ path }: { path: string }): boolean => !made.has(path);
  return {
    ...allowed,
    changes: allowed.changes.filter(isKept).map((change) => byPath.get(change.path) ?? change),
    // Folders that were there already are not among the committed ones.
    directories: [...(committed?.directories ?? []), ...allowed.directories.filter(isOther)].filter(isKept),
    removedDirectories: allowed.removedDirectories.filter(isKept),
  };
}

/** Sets each base to the state after the commit. Additions come last: a path may have been a file and now be a folder, or the reverse. */
async function renewBases({ changeSet, blobs }: PlannedChanges, bases: Bases): Promise<void> {
  const nothing = async (): Promise<Uint8Array> => new Uint8Array();
  for (const { path } of changeSet.removedDirectories) await bases.renew(path, { kind: 'absent' }, nothing);
  for (const change of changeSet.changes)
    await bases.renew(change.path, stateAfter(change), (hash) => blobs.read(hash));
  for (const { path, mode = 0o755 } of changeSet.directories)
    await bases.renew(path, { kind: 'directory', mode }, nothing);
}

function withoutDenied(
  chosen: PlannedChanges,
  { refusal }: WorkApartNeeds,
): { allowed: PlannedChanges; denied: Conflict[] } {
  const { changes, directories, removedDirectories } = chosen.changeSet;
  const denied = [...changes, ...directories, ...removedDirectories].flatMap(({ path }): Conflict[] => {
    const why = refusal?.('write', path) ?? null;
    return why === null ? [] : [{ path, why }];
  });
  const paths = new Set(denied.map(({ path }) => path));
  const isAllowed = ({ path }: { path: string }): boolean => !paths.has(path);
  const changeSet: ChangeSet = {
    ...chosen.changeSet,
    changes: changes.filter(isAllowed),
    directories: directories.filter(isAllowed),
    removedDirectories: removedDirectories.filter(isAllowed),
  };
  return { allowed: { ...chosen, changeSet }, denied };
}

/** Makes the chosen entries of the view what they were before they were first changed. */
export async function dropWork(
  { bases, ids, workspace }: WorkApartNeeds,
  { paths, changes }: { paths: readonly string[]; changes: Pick<Changes, 'commit'> },
  { planned }: ReviewedWork,
  signal: AbortSignal,
): Promise<void> {
  const choice = new Map(paths.map((path) => [path, 'whole'] as const));
  const choosing = { id: ids.next(), readBefore: baseReader(bases), show: workspace.show };
  const { changeSet } = await chooseChanges(planned, choice, choosing);
  const back = changeSet.changes.flatMap(
    (change) => changeBetween(change.path, stateAfter(change), stateBefore(change)) ?? [],
  );
  await changes.commit(
    {
      changeSet: {
        ...changeSet,
        changes: back,
        directories: changeSet.removedDirectories,
        removedDirectories: changeSet.directories,
      },
      diff: { kind: 'diff', files: [] },
      blobs: { read: async (hash) => (await bases.read(hash)) ?? planned.blobs.read(hash) },
    },
    { signal },
  );
}

/** Copies what others wrote to a file into the view; the next review would otherwise report it as removed. */
async function mergeIntoView(
  path: string,
  { bases, files, viewFiles }: WorkApartNeeds,
  signal: AbortSignal,
): Promise<void> {
  const base = bases.of(path);
  const [present, seen] = [await files.read(path, { signal }), await viewFiles.read(path, { signal })];
  const from = base?.kind === 'file' ? await bases.read(base.hash) : null;
  if (from === null) return;
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
  const ours = text(present.bytes);
  const result = await mergeTexts({ base: text(from), ours, theirs: text(seen.bytes) });
  if (result.kind === 'conflict') return;
  const bytes = Buffer.from(applyEdits(text(seen.bytes), result.edits), 'latin1');
  await viewFiles.write(path, bytes, { expect: { kind: 'file', hash: seen.hash }, signal });
}
