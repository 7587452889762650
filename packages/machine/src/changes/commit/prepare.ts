import { dirname } from 'node:path';
import { ToolError } from '../../base/errors.js';
import type { Files } from '../../host/files/files.js';
import {
  type ChangeSet,
  type DirectoryVersion,
  type EntryState,
  type FileChange,
  type FileState,
  sameState,
  stateAfter,
  stateBefore,
} from '../change-set.js';
import { isExact, isFolder, presentState, withFoldersGone } from './present.js';

export interface PrepareOptions {
  files: Files;
  show(path: string): string;
  signal: AbortSignal;
}

/**
 * Checks that every file is what the change set expects, before any is touched, and completes the set with
 * what only the present tells: the folders that will have to be made, the modes of those that will go. The
 * content of a single file is not read here, because its change looks at it anyway before it does anything.
 */
export async function prepare(changeSet: ChangeSet, options: PrepareOptions): Promise<ChangeSet> {
  const problems: string[] = [];
  for (const change of changeSet.changes) {
    options.signal.throwIfAborted();
    const problem = await problemOf(change, changeSet, options);
    if (problem !== null) problems.push(problem);
  }
  if (problems.length > 0) throw conflict(problems);
  return {
    ...changeSet,
    directories: [
      ...changeSet.directories,
      ...(await missingParents(changeSet, options.files)).map((path) => ({ path })),
    ],
    removedDirectories: await present(changeSet.removedDirectories, options.files),
  };
}

async function problemOf(
  change: FileChange,
  { changes, removedDirectories }: ChangeSet,
  { files, show, signal }: PrepareOptions,
): Promise<string | null> {
  const { path } = change;
  const expected = stateBefore(change);
  const isAlone = changes.length === 1 && expected.kind === 'file';
  const present = isAlone ? await outsideOf(expected, files, path) : await presentState(files, path, signal);
  const found = withFoldersGone(present, path, removedDirectories);
  if (sameState(expected, found)) return null;
  return `${show(path)} ${describeDifference(expected, found)}`;
}

/** The state as far as it can be told without reading the file. */
async function outsideOf(expected: FileState, files: Files, path: string): Promise<EntryState> {
  const stat = (await isExact(files, path)) ? await files.lstat(path) : null;
  if (stat?.kind !== 'file') return presentState(files, path);
  const isOtherSize = expected.size !== undefined && expected.size !== stat.size;
  return { kind: 'file', hash: isOtherSize ? '' : expected.hash, mode: stat.mode };
}

function describeDifference(expected: EntryState, found: EntryState): string {
  if (found.kind === 'absent') return 'is gone';
  if (expected.kind === 'absent') return 'exists by now';
  if (expected.kind !== found.kind) return `is a ${found.kind === 'other' ? 'device' : found.kind} by now`;
  const sameContent = expected.kind === 'file' && found.kind === 'file' && expected.hash === found.hash;
  if (sameContent || found.kind === 'directory') return 'has another mode by now';
  return found.kind === 'symlink' ? 'leads elsewhere by now' : 'has another content by now';
}

function conflict(problems: string[]): ToolError {
  const shown = problems.slice(0, 5).join('; ');
  const more = problems.length > 5 ? `; and ${problems.length - 5} more` : '';
  return new ToolError(
    'conflict',
    `Nothing was changed, because something else changed these files meanwhile: ${shown}${more}. Read them again, then repeat the change.`,
  );
}

/** Outermost first. */
async function missingParents({ changes, directories }: ChangeSet, files: Files): Promise<string[]> {
  const missing = new Set<string>();
  const known = new Set(directories.map(({ path }) => path));
  const needed = [...changes.filter((change) => stateAfter(change).kind !== 'absent'), ...directories];
  for (const { path } of needed) {
    for (let folder = dirname(path); !known.has(folder); folder = dirname(folder)) {
      known.add(folder);
      if (await isFolder(files, folder)) break;
      missing.add(folder);
    }
  }
  return [...missing].sort((left, right) => left.length - right.length);
}

async function present(directories: readonly DirectoryVersion[], files: Files): Promise<DirectoryVersion[]> {
  const found: DirectoryVersion[] = [];
  for (const { path } of directories) {
    const state = await presentState(files, path);
    if (state.kind === 'directory') found.push({ path, mode: state.mode });
  }
  return found;
}
