import { type BigIntStats, lstatSync, readlinkSync } from 'node:fs';
import { isAbsolute, join, parse, sep } from 'node:path';
import { isNodeError, isToolError, ToolError, type ToolErrorCode } from '../../base/errors.js';
import { foreignText } from '../../base/sentences/foreign-text.js';
import type { DirectoryAccess, HeldDirectory } from '../platform/directory-access.js';
import { outsideWorkspace, type Workspace } from '../workspace.js';
import type { KnownBytes } from './files.js';

/** An entry, or the place where one would be made. Whoever holds it closes `directory`. */
export interface Location {
  /** The path as the caller named it. */
  path: string;
  directory: HeldDirectory;
  /** `.` when the walk ended in the directory itself. */
  name: string;
  /** The entry's stat; null when there is no entry. */
  stat: BigIntStats | null;
  realPath: string;
  /** Names below the missing entry; not empty when a directory on the path is missing. */
  below: string[];
  /** A file that stands where a directory on the path should be. */
  blockedBy?: string;
}

export interface Walk {
  workspace: Workspace;
  access: DirectoryAccess;
  known: KnownBytes;
  /** False where changes need not survive a power cut. */
  lasting: boolean;
}

export interface FoundPath {
  walk: Walk;
  location: Location;
}

export interface ChangeTarget extends FoundPath {
  /** Asks the policy once more, with the path the folder has at this moment. */
  permit(): void;
}

/** The limit of the Linux kernel. */
const mostLinks = 40;

/**
 * Finds a path inside the roots, one component at a time, and follows links itself. Synchronous: each look-up takes a
 * few microseconds, and a trip through the thread pool ten times as much.
 */
export function locate(walk: Walk, path: string, follow: boolean): Location {
  const absolute = walk.workspace.resolve(path);
  try {
    const found = locateExactly(walk, absolute, follow) ?? walkFromTop(walk, absolute, follow);
    confirmOrClose(walk, found);
    return found;
  } catch (error) {
    throw fileSystemError(error, { doing: 'find', shown: nameIn(walk.workspace, absolute) });
  }
}

function confirmOrClose(walk: Walk, { directory, name, stat }: Location): void {
  try {
    walk.access.confirm(directory, stat ? { name, stat } : undefined);
  } catch (error) {
    directory.close();
    throw error;
  }
}

/** The common case: no link on the path and none at its end. */
function locateExactly(walk: Walk, path: string, follow: boolean): Location | null {
  const cut = path.lastIndexOf(sep);
  const name = path.slice(cut + 1);
  if (name === '') return null;
  const directory = walk.access.holdExactly(path.slice(0, cut) || sep);
  if (!directory) return null;
  try {
    const stat = entryAt(directory, name);
    if (!(follow && stat?.isSymbolicLink())) {
      return { path, directory, name, stat, realPath: path, below: [] };
    }
  } catch (error) {
    directory.close();
    throw error;
  }
  directory.close();
  return null;
}

export function entryAt(directory: HeldDirectory, name: string): BigIntStats | null {
  try {
    return lstatSync(directory.at(name), { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch (error) {
    if (isNodeError(error, 'ENOTDIR')) return null;
    throw error;
  }
}

interface WalkState {
  walk: Walk;
  path: string;
  follow: boolean;
  /** The directory reached so far. Only one is held: paths can be deeper than there are descriptors. */
  directory: HeldDirectory;
  /** Names of the real path down to `directory`. */
  names: string[];
  pending: string[];
  links: number;
  steps: number;
}

/** Links with many `..` could keep the walk busy for minutes. */
const mostSteps = 50_000;

function walkFromTop(walk: Walk, path: string, follow: boolean): Location {
  const state: WalkState = {
    walk,
    path,
    follow,
    directory: walk.access.top(path),
    names: [],
    pending: split(path),
    links: 0,
    steps: 0,
  };
  try {
    for (;;) {
      const found = step(state);
      if (found) return found;
    }
  } catch (error) {
    state.directory.close();
    throw error;
  }
}

function step(state: WalkState): Location | undefined {
  const { directory, pending } = state;
  if (++state.steps > mostSteps) throw tooManyLinks(state);
  const name = pending.shift();
  if (name === undefined) return arrive(state, '.', entryAt(directory, '.'));
  if (name === '..') {
    startAgain(state, directory.realPath, [...state.names.slice(0, -1), ...pending]);
  } else if (pending.length === 0) {
    const stat = orOutside(state, name, () => entryAt(directory, name));
    if (!stat?.isSymbolicLink() || !state.follow) return arrive(state, name, stat);
    followLink(state, name);
  } else {
    const entered = orOutside(state, name, () => state.walk.access.enter(directory, name));
    if (entered === 'link') followLink(state, name);
    else if (entered === 'missing') return arrive(state, name, null);
    else if (entered === 'not-directory') {
      return { ...arrive(state, name, null), blockedBy: join(directory.realPath, name) };
    } else {
      state.names.push(name);
      moveTo(state, entered);
    }
  }
  return undefined;
}

function moveTo(state: WalkState, directory: HeldDirectory): void {
  state.directory.close();
  state.directory = directory;
}

function startAgain(state: WalkState, path: string, pending: string[]): void {
  moveTo(state, state.walk.access.top(path));
  state.names = [];
  state.pending = pending;
}

/** A path outside the roots that the system forbids is reported as outside the roots, and nothing more. */
function orOutside<T>({ walk, directory, pending, path }: WalkState, name: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    const realPath = join(directory.realPath, name, ...pending);
    if (isNodeError(error, 'EACCES', 'EPERM') && !walk.workspace.rootOf(realPath)) {
      throw outsideWorkspace(walk.workspace.show(path), walk.workspace.roots, realPath);
    }
    throw error;
  }
}

function arrive(state: WalkState, name: string, stat: BigIntStats | null): Location {
  const { directory, pending, walk, path } = state;
  const realPath = join(directory.realPath, name, ...pending);
  if (!walk.workspace.rootOf(realPath)) {
    throw outsideWorkspace(walk.workspace.show(path), walk.workspace.roots, realPath);
  }
  if (!stat && pending.includes('..')) {
    throw new ToolError('not_found', `${nameIn(walk.workspace, path)} is a link that leads nowhere.`);
  }
  return { path, directory, name, stat, realPath, below: [...pending] };
}

function followLink(state: WalkState, name: string): void {
  if (++state.links > mostLinks) throw tooManyLinks(state);
  const { walk, directory, pending } = state;
  const target = linkTarget(walk, directory, name);
  if (target === null) pending.unshift(name);
  else if (isAbsolute(target)) startAgain(state, target, [...split(target), ...pending]);
  else pending.unshift(...split(target));
}

function tooManyLinks({ walk, path }: WalkState): ToolError {
  return new ToolError(
    'failed',
    `${nameIn(walk.workspace, path)} goes through more than ${mostLinks} links, so it is probably a loop.`,
  );
}

/** Null when the entry is no longer a link. */
function linkTarget({ workspace }: Walk, directory: HeldDirectory, name: string): string | null {
  try {
    const target = readlinkSync(directory.at(name), 'buffer');
    return decodeTarget(target, nameIn(workspace, join(directory.realPath, name)));
  } catch (error) {
    if (isNodeError(error, 'EINVAL', 'ENOENT')) return null;
    throw error;
  }
}

/**
 * The target of a link. Its text can't be tied to the link by an inode, so it is read repeatedly until it stays the
 * same while the link stays in its place.
 */
export function readLinkAt(walk: Walk, location: Location): string {
  const { directory, name, stat, path } = location;
  const shown = nameIn(walk.workspace, path);
  const read = () => readlinkSync(directory.at(name), 'buffer');
  const first = read();
  for (let again = 0; again < 3; again++) {
    walk.access.confirm(directory, stat ? { name, stat } : undefined);
    if (!read().equals(first)) throw new ToolError('conflict', `${shown} was changed just now. Try again.`);
  }
  return decodeTarget(first, shown);
}

function decodeTarget(target: Buffer, shown: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(target);
  } catch {
    throw new ToolError(
      'failed',
      `${shown} is a link to a name that is not UTF-8, which can't be opened here.`,
    );
  }
}

function split(path: string): string[] {
  const { root } = parse(path);
  const names = path.slice(root.length).split(sep === '/' ? '/' : /[\\/]/);
  return names.filter((name) => name !== '' && name !== '.');
}

const known: Record<string, { code: ToolErrorCode; why: string }> = {
  ENOENT: { code: 'not_found', why: 'it does not exist' },
  ENOTDIR: { code: 'not_found', why: 'a part of the path is a file, not a folder' },
  EEXIST: { code: 'conflict', why: 'something else is there by now' },
  EACCES: { code: 'denied', why: 'the operating system does not permit it' },
  EPERM: { code: 'denied', why: 'the operating system does not permit it' },
  EROFS: { code: 'denied', why: 'it is on a read-only file system' },
  ENAMETOOLONG: { code: 'invalid_params', why: 'the path or a name in it is too long' },
  ELOOP: { code: 'conflict', why: 'it was replaced by a link just now. Try again' },
  EISDIR: { code: 'failed', why: 'it is a folder' },
  ENOSPC: { code: 'failed', why: 'the disk is full' },
  EDQUOT: { code: 'failed', why: 'the disk quota is used up' },
  EFBIG: { code: 'too_large', why: 'the file would be larger than the system allows' },
  EMFILE: { code: 'failed', why: 'too many files are open. Try again' },
  ENFILE: { code: 'failed', why: 'too many files are open. Try again' },
  EBUSY: { code: 'failed', why: 'it is in use' },
  ETXTBSY: { code: 'failed', why: 'it is a program that is running' },
  ENXIO: { code: 'failed', why: 'it is a pipe or device, not a regular file' },
};

interface Attempt {
  /** Verb for the message: read, change … */
  doing: string;
  /** The path as messages show it. */
  shown: string;
}

/** Turns the error of a system call into a `ToolError` without paths that only this process understands. */
export function fileSystemError(error: unknown, { doing, shown }: Attempt): unknown {
  if (isToolError(error) || !isNodeError(error) || typeof error.errno !== 'number') return error;
  const code = String(error.code);
  const { code: toolCode, why } = known[code] ?? { code: 'failed' as const, why: code };
  return new ToolError(toolCode, `Can't ${doing} ${shown}: ${why}.`, { cause: error });
}

export function isDirectory(workspace: Workspace, path: string): ToolError {
  return new ToolError('failed', `${nameIn(workspace, path)} is a folder, not a file.`);
}

export function nameIn(workspace: Workspace, path: string): string {
  return foreignText(workspace.show(path));
}
