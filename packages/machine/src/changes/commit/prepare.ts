import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { isToolError, ToolError } from '../../base/errors.js';
import type { Files, OpenFile } from '../../host/files/files.js';
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

interface PrepareOptions {
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
  if (sameContent || found.kind === 'directory') return 'has a different mode by now';
  return found.kind === 'symlink' ? 'leads elsewhere by now' : 'has different content by now';
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

const CHUNK = 1 << 20;

/** A folder that the same change set removes leaves its place free. */
export function withFoldersGone(
  state: EntryState,
  path: string,
  gone: readonly { path: string }[],
): EntryState {
  return state.kind === 'directory' && gone.some((folder) => folder.path === path)
    ? { kind: 'absent' }
    : state;
}

/**
 * True when a change would happen at this very path: a link on the way would lead it elsewhere, be it one
 * that someone put there or one that the same change set removes or makes.
 */
export async function isExact(files: Files, path: string): Promise<boolean> {
  try {
    return (await files.realPath(path)) === path;
  } catch (error) {
    if (isToolError(error)) return false;
    throw error;
  }
}

export async function isFolder(files: Files, path: string): Promise<boolean> {
  return (await isExact(files, path)) && (await files.lstat(path))?.kind === 'directory';
}

/** The present state of the path, no link followed; nothing is at a path that leads elsewhere. */
export async function presentState(files: Files, path: string, signal?: AbortSignal): Promise<EntryState> {
  if (!(await isFolder(files, dirname(path)))) return { kind: 'absent' };
  const stat = await files.lstat(path);
  switch (stat?.kind) {
    case undefined:
      return { kind: 'absent' };
    case 'symlink':
      return { kind: 'symlink', target: await files.readLink(path) };
    case 'directory':
      return { kind: 'directory', mode: stat.mode };
    case 'other':
      return { kind: 'other' };
    case 'file':
      return presentFile(files, path, signal);
  }
}

async function presentFile(files: Files, path: string, signal?: AbortSignal): Promise<EntryState> {
  const file = await files.open(path, signal);
  try {
    const digest = createHash('sha256');
    let size = 0;
    for await (const chunk of chunksOf(file, signal)) {
      digest.update(chunk);
      size += chunk.byteLength;
    }
    return { kind: 'file', hash: digest.digest('hex'), size, mode: file.stat.mode };
  } finally {
    await file.close();
  }
}

/** The bytes of a file of any size, by pieces that are good until the next one. */
export async function* contentOf(files: Files, path: string): AsyncIterable<Uint8Array> {
  const file = await files.open(path);
  try {
    yield* chunksOf(file);
  } finally {
    await file.close();
  }
}

async function* chunksOf(file: OpenFile, signal?: AbortSignal): AsyncIterable<Uint8Array> {
  const buffer = new Uint8Array(Math.min(CHUNK, file.stat.size + 1));
  for (let offset = 0; ; ) {
    const read = await file.readInto(buffer, offset, signal);
    if (read === 0) return;
    yield buffer.subarray(0, read);
    offset += read;
  }
}
