import { dirname } from 'node:path';
import type { FileDiff } from '../base/content.js';
import type { Files } from '../host/files/files.js';
import type { BeforeImages } from '../host/objects/before-images.js';
import type { Workspace } from '../host/workspace.js';
import {
  type ChangeSet,
  changeBetween,
  type EntryState,
  type FileChange,
  type FileVersion,
  invert,
  isEmptyChangeSet,
  type PlannedChanges,
  sameState,
  stateAfter,
  stateBefore,
} from './change-set.js';
import { isFolder, presentState, withFoldersGone } from './commit/prepare.js';
import { diffOfChanges, type ReadVersion } from './plan.js';

export type UndoPlan =
  /** The plan of the undo, to be shown, checked and committed like any other. */
  | { kind: 'ready'; planned: PlannedChanges }
  /** Everything is as it was before the change already. */
  | { kind: 'nothing' }
  /** Someone else changed files since, which the diff shows, or an earlier version is gone. */
  | { kind: 'refused'; reason: string; diff: FileDiff };

export interface UndoOptions {
  /** The id of the undoing change set. */
  id: string;
  files: Files;
  objects: BeforeImages;
  workspace: Pick<Workspace, 'rootOf' | 'show'>;
  signal: AbortSignal;
}

const LARGEST_SHOWN_BYTES = 4 * 1024 * 1024;

/** The way back from a committed change set, if every file still is what the commit left. */
export async function planUndo(changeSet: ChangeSet, options: UndoOptions): Promise<UndoPlan> {
  const { files, objects, workspace } = options;
  const places = [...changeSet.changes, ...changeSet.directories, ...changeSet.removedDirectories];
  const outside = places.map(({ path }) => path).filter((path) => !workspace.rootOf(path));
  if (outside.length > 0) return { kind: 'refused', reason: outsideRefusal(outside), diff: noDiff };
  const inverse = invert(changeSet, options.id);
  const found = await sortOut(inverse, options);
  const { changes, foreign, gone } = found;
  if (foreign.length + gone.length > 0) {
    return {
      kind: 'refused',
      reason: refusal(found, workspace.show),
      diff: await diffSince(foreign, options),
    };
  }
  const remaining = { ...inverse, changes, ...(await presentDirectories(inverse, files)) };
  // A folder that others use by now stays; alone it is nothing to undo.
  const onlyFoldersLeft = inverse.changes.length > 0 && changes.length + remaining.directories.length === 0;
  if (onlyFoldersLeft || isEmptyChangeSet(remaining)) return { kind: 'nothing' };
  const diff = await diffOfChanges(changes, {
    show: workspace.show,
    before: presentReader(options),
    after: (version) => imageOf(objects, version),
  });
  return { kind: 'ready', planned: { changeSet: remaining, blobs: objects, diff } };
}

interface Sorted {
  changes: FileChange[];
  /** Files that others changed since. */
  foreign: { path: string; left: EntryState; present: EntryState }[];
  /** Files whose earlier version is no longer in the store. */
  gone: string[];
}

async function sortOut(inverse: ChangeSet, { files, objects, signal }: UndoOptions): Promise<Sorted> {
  const sorted: Sorted = { changes: [], foreign: [], gone: [] };
  for (const change of inverse.changes) {
    signal.throwIfAborted();
    const { path } = change;
    const [left, wanted] = [stateBefore(change), stateAfter(change)];
    const found = await presentState(files, path, signal);
    const present = withFoldersGone(found, path, inverse.removedDirectories);
    if (sameState(wanted, present)) continue;
    if (!sameState(left, present)) sorted.foreign.push({ path, left, present });
    else if (change.kind !== 'mode' && wanted.kind === 'file' && !(await objects.has(wanted.hash))) {
      sorted.gone.push(path);
    } else sorted.changes.push(change);
  }
  return sorted;
}

/** Folders to make that are missing, and folders to remove that are there. */
async function presentDirectories(
  { directories, removedDirectories }: ChangeSet,
  files: Files,
): Promise<Pick<ChangeSet, 'directories' | 'removedDirectories'>> {
  const there = async (list: ChangeSet['directories'], wanted: boolean) => {
    const flags = await Promise.all(list.map(({ path }) => isFolder(files, path)));
    return list.filter((_, index) => flags[index] === wanted);
  };
  return {
    directories: await there(directories, false),
    removedDirectories: await there(removedDirectories, true),
  };
}

const noDiff: FileDiff = { kind: 'diff', files: [] };

/** Words the refusal for files that can't be looked at: they must not count as undone already. */
function outsideRefusal(paths: readonly string[]): string {
  const folders = [...new Set(paths.map((path) => dirname(path)))];
  return `Nothing was undone. This change was made in a folder that is not among those of this run: ${folders.slice(0, 5).join(', ')}. Undo again with --include-directories ${folders[0]}`;
}

function refusal({ foreign, gone }: Sorted, show: (path: string) => string): string {
  const named = (paths: string[]) =>
    paths.slice(0, 5).map(show).join(', ') + (paths.length > 5 ? ` and ${paths.length - 5} more` : '');
  const sentences = [
    foreign.length > 0 &&
      `Changed since: ${named(foreign.map(({ path }) => path))}. Undoing would lose that; put it aside or take it back first, then undo again.`,
    gone.length > 0 &&
      `The earlier version is no longer in the store, or was changed there: ${named(gone)}. It can't be brought back from here.`,
  ];
  return ['Nothing was undone.', ...sentences.filter((sentence) => sentence !== false)].join(' ');
}

/** Compares the files before the first of some change sets with the files now. */
export async function diffOver(
  changeSets: readonly ChangeSet[],
  options: Omit<UndoOptions, 'id'>,
): Promise<FileDiff> {
  const firsts = new Map<string, FileChange>();
  for (const change of changeSets.flatMap(({ changes }) => changes)) {
    if (!firsts.has(change.path)) firsts.set(change.path, change);
  }
  const changes: FileChange[] = [];
  for (const [path, first] of firsts) {
    const present = await presentState(options.files, path);
    const change = sameState(stateBefore(first), present)
      ? null
      : changeBetween(path, stateBefore(first), present);
    if (change) changes.push(change);
  }
  return diffOfChanges(changes, {
    show: options.workspace.show,
    before: (version) => imageOf(options.objects, version),
    after: presentReader(options),
  });
}

/** Compares what the commit left with what is there. */
async function diffSince(foreign: Sorted['foreign'], options: UndoOptions): Promise<FileDiff> {
  const changes = foreign.flatMap(({ path, left, present }) => changeBetween(path, left, present) ?? []);
  const diff = await diffOfChanges(changes, {
    show: options.workspace.show,
    before: (version) => imageOf(options.objects, version),
    after: presentReader(options),
  });
  const others = foreign.filter(({ path, left, present }) => changeBetween(path, left, present) === null);
  const notes = others.map(({ path, present }) => ({
    path: options.workspace.show(path),
    change: 'modify' as const,
    unified: present.kind === 'directory' ? 'It is a folder now.' : 'It is a pipe, socket or device now.',
    added: 0,
    removed: 0,
  }));
  return { kind: 'diff', files: [...diff.files, ...notes] };
}

async function imageOf(objects: BeforeImages, { hash, size }: FileVersion): Promise<Uint8Array | null> {
  if (size > LARGEST_SHOWN_BYTES || !(await objects.has(hash))) return null;
  return objects.read(hash);
}

function presentReader({ files, signal }: Pick<UndoOptions, 'files' | 'signal'>): ReadVersion {
  return async ({ hash, size }, path) => {
    if (size > LARGEST_SHOWN_BYTES) return null;
    const content = await files.read(path, { signal });
    return content.hash === hash ? content.bytes : null;
  };
}
