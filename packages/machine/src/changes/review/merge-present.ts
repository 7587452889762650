import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { isToolError } from '../../base/errors.js';
import { mergeTexts } from '../../base/merge.js';
import { applyEdits } from '../../base/text-codec.js';
import type { Files } from '../../host/files/files.js';
import {
  type ChangeSet,
  changeBetween,
  type EntryState,
  type FileChange,
  type PlannedChanges,
  sameState,
  stateAfter,
  stateBefore,
} from '../change-set.js';
import { isFolder, presentState, withFoldersGone } from '../commit/prepare.js';
import { repositoryOf } from './repositories.js';

/** A change that was left out because the file was changed meanwhile. */
export interface Conflict {
  path: string;
  /** The reason, as the end of a sentence that begins with the file's name. */
  why: string;
}

/** The needs of a merge of planned changes with the present files. */
export interface MergePresentOptions {
  files: Files;
  /** The content that a change was made from; null when it is not known, which makes every other content a conflict. */
  readBase(change: FileChange): Promise<Uint8Array | null>;
  /** Conflicts found before: the rest of each repository concerned is left out, too. */
  leftOut?: readonly Conflict[];
  signal: AbortSignal;
}

export interface MergedChanges {
  planned: PlannedChanges;
  conflicts: Conflict[];
  /** Paths whose text now holds both changes. */
  merged: string[];
}

/**
 * Brings planned changes to the files as they are now. Where others changed a file since, both changes are merged; where that
 * can't be done the change is left out and named, so that nothing of theirs is overwritten.
 */
export async function mergeWithPresent(
  planned: PlannedChanges,
  options: MergePresentOptions,
): Promise<MergedChanges> {
  const { changeSet } = planned;
  const changes: FileChange[] = [];
  const conflicts: Conflict[] = [];
  const merged: string[] = [];
  const made = new Map<string, Uint8Array>();
  for (const change of changeSet.changes) {
    options.signal.throwIfAborted();
    const { path } = change;
    const settled = await settleChange(change, { changeSet, blobs: planned.blobs, made }, options);
    if (settled.kind === 'conflict') conflicts.push({ path, why: settled.why });
    // Lines of a file of git mean something only together with its other files.
    else if (settled.kind === 'merged' && repositoryOf(path) !== null)
      conflicts.push({ path, why: 'was changed meanwhile' });
    else if (settled.kind === 'merged') merged.push(path);
    if ('change' in settled) changes.push(settled.change);
  }
  const leftOut = (options.leftOut ?? []).filter(({ path }) => hasPartOf(changeSet, repositoryOf(path)));
  const whole = withoutBrokenRepositories({ ...changeSet, changes }, [...conflicts, ...leftOut]);
  const left = [...conflicts.filter(({ path }) => repositoryOf(path) === null), ...whole.conflicts];
  return {
    conflicts: left,
    merged,
    planned: {
      ...planned,
      changeSet: { ...whole.changeSet, ...(await foldersToChange(whole.changeSet, left, options.files)) },
      blobs: { read: async (hash) => made.get(hash) ?? planned.blobs.read(hash) },
    },
  };
}

function hasPartOf(
  { changes, directories, removedDirectories }: ChangeSet,
  repository: string | null,
): boolean {
  const entries = [...changes, ...directories, ...removedDirectories];
  return repository !== null && entries.some(({ path }) => repositoryOf(path) === repository);
}

/** A change set without the repositories of which something is left out, and one conflict for each of them. */
function withoutBrokenRepositories(
  changeSet: ChangeSet,
  leftOut: readonly Conflict[],
): { changeSet: ChangeSet; conflicts: Conflict[] } {
  const broken = new Map<string, Conflict[]>();
  for (const each of leftOut) {
    const repository = repositoryOf(each.path);
    if (repository !== null) broken.set(repository, [...(broken.get(repository) ?? []), each]);
  }
  const isWhole = ({ path }: { path: string }): boolean => !broken.has(repositoryOf(path) ?? '');
  const { changes, directories, removedDirectories } = changeSet;
  return {
    changeSet: {
      ...changeSet,
      changes: changes.filter(isWhole),
      directories: directories.filter(isWhole),
      removedDirectories: removedDirectories.filter(isWhole),
    },
    conflicts: [...broken].map(([path, reasons]) => ({ path, why: whyLeftOut(path, reasons) })),
  };
}

const MOST_NAMED = 3;

function whyLeftOut(repository: string, reasons: readonly Conflict[]): string {
  const named = reasons
    .slice(0, MOST_NAMED)
    .map(({ path, why }) => `${relative(repository, path) || '.git'}: ${why}`);
  const more = reasons.length > MOST_NAMED ? [`${reasons.length - MOST_NAMED} more`] : [];
  return `can only be kept as a whole, and not all of it can be kept (${[...named, ...more].join('; ')})`;
}

/** A folder that holds something which stays can't go. Folders that others have made or removed as well need no change. */
async function foldersToChange(
  { directories, removedDirectories }: ChangeSet,
  conflicts: readonly Conflict[],
  files: Files,
): Promise<Pick<ChangeSet, 'directories' | 'removedDirectories'>> {
  const isNeeded = (folder: string): boolean => conflicts.some(({ path }) => path.startsWith(`${folder}/`));
  const present = new Set<string>();
  for (const { path } of [...directories, ...removedDirectories])
    if (await isFolder(files, path)) present.add(path);
  return {
    directories: directories.filter(({ path }) => !present.has(path)),
    removedDirectories: removedDirectories.filter(({ path }) => present.has(path) && !isNeeded(path)),
  };
}

type SettledChange =
  | { kind: 'as-planned' | 'merged'; change: FileChange }
  /** Somebody else has made the same change. */
  | { kind: 'made-already' }
  | { kind: 'conflict'; why: string };

interface MergeState extends Pick<PlannedChanges, 'changeSet' | 'blobs'> {
  /** Receives the merged contents. */
  made: Map<string, Uint8Array>;
}

async function settleChange(
  change: FileChange,
  { changeSet, blobs, made }: MergeState,
  options: MergePresentOptions,
): Promise<SettledChange> {
  const { files, signal } = options;
  const [before, after] = [stateBefore(change), stateAfter(change)];
  const state = await presentState(files, change.path, signal);
  const present = withFoldersGone(state, change.path, changeSet.removedDirectories);
  if (sameState(before, present)) return { kind: 'as-planned', change };
  const isFolderByNow = present.kind === 'directory' && before.kind !== 'directory';
  const isFolderAsPlanned = isFolderByNow && changeSet.directories.some(({ path }) => path === change.path);
  if (sameState(after, present) || isFolderAsPlanned) return { kind: 'made-already' };
  if (change.kind !== 'modify' || before.kind !== 'file' || present.kind !== 'file')
    return { kind: 'conflict', why: whatHappened(change, present) };
  const bytes = await mergedBytes(change, blobs, options);
  if (bytes === null) return { kind: 'conflict', why: 'was changed in the same lines' };
  const hash = createHash('sha256').update(bytes).digest('hex');
  made.set(hash, bytes);
  const mode = change.after.mode === before.mode ? present.mode : change.after.mode;
  const wanted: EntryState = { kind: 'file', hash, size: bytes.byteLength, mode };
  const mergedChange = sameState(wanted, present) ? null : changeBetween(change.path, present, wanted);
  return mergedChange ? { kind: 'merged', change: mergedChange } : { kind: 'made-already' };
}

function whatHappened(change: FileChange, present: EntryState): string {
  if (present.kind === 'absent') return 'was removed meanwhile';
  if (change.kind === 'create') return 'was made by somebody else meanwhile';
  if (change.kind === 'delete') return 'was changed meanwhile, so it was not deleted';
  return 'was changed meanwhile';
}

/** Null where both sides changed the same lines, or where the contents are no text with plain lines. */
async function mergedBytes(
  change: FileChange & { kind: 'modify' },
  blobs: PlannedChanges['blobs'],
  { files, readBase, signal }: MergePresentOptions,
): Promise<Uint8Array | null> {
  const base = await readBase(change);
  const present = await files.read(change.path, { signal }).catch((error: unknown) => {
    if (isToolError(error)) return null;
    throw error;
  });
  if (base === null || present === null) return null;
  const versions = [base, await blobs.read(change.after.hash), present.bytes];
  if (versions.some((bytes) => bytes.includes(0))) return null;
  // Each byte becomes one character, so that every byte comes back as it was.
  const [from, ours, theirs] = versions.map((bytes) => Buffer.from(bytes).toString('latin1')) as [
    string,
    string,
    string,
  ];
  const merge = await mergeTexts({ base: from, ours, theirs });
  return merge.kind === 'merged' ? Buffer.from(applyEdits(theirs, merge.edits), 'latin1') : null;
}
