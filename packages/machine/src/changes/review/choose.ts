import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { ToolError } from '../../base/errors.js';
import { foreignName } from '../../base/sentences/foreign-text.js';
import { isInside } from '../../host/workspace.js';
import type { ChangeSet, FileChange, PlannedChanges } from '../change-set.js';
import { hunksBetween, type ReviewHunk, withHunks } from './hunks.js';
import { repositoryOf } from './repositories.js';

/** Items of a review to keep, by path: the whole change, or some parts of it by their numbers from 0. */
export type Choice = ReadonlyMap<string, 'whole' | readonly number[]>;

export interface ChooseOptions {
  /** Id of the new change set. */
  id: string;
  /** The content that a change replaces; null when it is not known. */
  readBefore(change: FileChange & { kind: 'modify' }): Promise<Uint8Array | null>;
  show(path: string): string;
}

/** The part of a change set that the user chose, with whatever else that part can't do without. */
export async function chooseChanges(
  planned: PlannedChanges,
  choice: Choice,
  options: ChooseOptions,
): Promise<PlannedChanges> {
  const { changeSet } = planned;
  const paths = neededPaths(changeSet, new Set(choice.keys()));
  const isChosen = ({ path }: { path: string }): boolean => paths.has(path);
  const made = new Map<string, Uint8Array>();
  const changes: FileChange[] = [];
  for (const change of changeSet.changes.filter(isChosen)) {
    const numbers = choice.get(change.path) ?? 'whole';
    changes.push(numbers === 'whole' ? change : await partOf({ change, numbers, planned, made }, options));
  }
  const shown = new Set(changes.map(({ path }) => foreignName(options.show(path))));
  return {
    changeSet: {
      v: 1,
      id: options.id,
      changes,
      directories: changeSet.directories.filter(isChosen),
      removedDirectories: changeSet.removedDirectories.filter(isChosen),
    },
    blobs: { read: async (hash) => made.get(hash) ?? planned.blobs.read(hash) },
    diff: { ...planned.diff, files: planned.diff.files.filter(({ path }) => shown.has(path)) },
  };
}

/**
 * The chosen paths and those they need: folders above a new entry, what stood in the place of a folder, everything in a
 * folder that something else takes the place of, and the rest of a git repository. A folder that only goes stays while
 * something in it was not chosen.
 */
export function neededPaths(changeSet: ChangeSet, chosen: ReadonlySet<string>): ReadonlySet<string> {
  const { changes, directories, removedDirectories } = changeSet;
  const all = [...changes, ...directories, ...removedDirectories].map(({ path }) => path);
  const removed = new Set(removedDirectories.map(({ path }) => path));
  // A folder that only gets another mode is needed by nothing in it.
  const replaced = new Set([...changes.filter(({ kind }) => kind !== 'mode'), ...directories].map(pathOf));
  const needed = new Set<string>();
  const whole = new Set<string>();
  const partlyLeft = new Set(
    all.filter((path) => !chosen.has(path)).flatMap((path) => [...foldersAbove(path)]),
  );
  const stays = (path: string): boolean =>
    removed.has(path) && !replaced.has(path) && partlyLeft.has(path) && repositoryOf(path) === null;
  const pending = all.filter((path) => chosen.has(path) && !stays(path));
  const addAllIn = (folder: string): void => {
    if (whole.has(folder) || [...foldersAbove(folder)].some((above) => whole.has(above))) return;
    whole.add(folder);
    pending.push(...all.filter((path) => isInside(path, folder)));
  };
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (needed.has(path)) continue;
    needed.add(path);
    pending.push(...[...foldersAbove(path)].filter((folder) => replaced.has(folder)));
    if (removed.has(path)) addAllIn(path);
    const repository = repositoryOf(path);
    if (repository !== null) addAllIn(repository);
  }
  return needed;
}

function pathOf({ path }: { path: string }): string {
  return path;
}

function* foldersAbove(path: string): Generator<string> {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) yield folder;
}

interface PartialChange {
  change: FileChange;
  numbers: readonly number[];
  planned: PlannedChanges;
  /** Receives the contents that exist in no plan yet. */
  made: Map<string, Uint8Array>;
}

async function partOf(part: PartialChange, options: ChooseOptions): Promise<FileChange> {
  const { change, numbers, planned, made } = part;
  const parts = await hunksOfChange(planned, change, options);
  const chosen = parts?.hunks.filter((_, index) => numbers.includes(index)) ?? [];
  if (!parts || change.kind !== 'modify' || chosen.length !== new Set(numbers).size || chosen.length === 0)
    throw new ToolError(
      'invalid_params',
      `${options.show(change.path)} has no such parts. Keep all of it or nothing.`,
    );
  if (chosen.length === parts.hunks.length) return change;
  const bytes = withHunks(parts.before, parts.after, chosen);
  const hash = createHash('sha256').update(bytes).digest('hex');
  made.set(hash, bytes);
  return { ...change, after: { ...change.after, hash, size: bytes.byteLength } };
}

/** The parts of a change that can be kept on their own; null where only the whole can. */
export async function hunksOfChange(
  { blobs }: Pick<PlannedChanges, 'blobs'>,
  change: FileChange,
  { readBefore }: Pick<ChooseOptions, 'readBefore'>,
): Promise<{ hunks: ReviewHunk[]; before: Uint8Array; after: Uint8Array } | null> {
  if (change.kind !== 'modify' || 'target' in change.before || repositoryOf(change.path) !== null)
    return null;
  const before = await readBefore(change);
  if (before === null) return null;
  const after = await blobs.read(change.after.hash);
  const hunks = await hunksBetween(before, after);
  return hunks && { hunks, before, after };
}
