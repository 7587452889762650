import { closeSync, constants } from 'node:fs';
import { join } from 'node:path';
import { ToolError } from '../../base/errors.js';
import type { Ids } from '../host.js';
import { mayAccess } from '../plain-files/regular-file.js';
import { chooseDirectoryAccess, type DirectoryAccess, isMountPoint } from '../platform/directory-access.js';
import type { Workspace } from '../workspace.js';
import { makeDirectoriesAt, makeSymlinkAt, removeAt, removeDirectoryAt, setModeAt } from './change.js';
import type { PathAccess, PathPolicy } from './denied-paths.js';
import { hashBytes, holdsExactly } from './expect.js';
import { createKnownBytes, type Expected, type FileContent, type Files, type KnownBytes } from './files.js';
import { listAt, missing, openFile, openRegular, readWhole, toFileStat } from './read.js';
import {
  type ChangeTarget,
  fileSystemError,
  type Location,
  locate,
  nameIn,
  readLinkAt,
  type Walk,
} from './walk.js';
import { flushDirectory, writeAt } from './write.js';

export interface FilesOptions {
  ids: Pick<Ids, 'next'>;
  policy?: PathPolicy;
  /** Chosen by operating system unless given. */
  access?: DirectoryAccess;
  /** Shared where one door writes what another will read next. */
  known?: KnownBytes;
  /** False where changes need not survive a power cut: nothing is flushed. Default: true. */
  lasting?: boolean;
}

export function createFiles(workspace: Workspace, options: FilesOptions): Files {
  const access = options.access ?? chooseDirectoryAccess(process.platform, workspace.place);
  const { known = createKnownBytes(), lasting = true } = options;
  const walk: Walk = { workspace, access, known, lasting };
  const door = createDoor(walk, options.policy);
  return { ...readingFiles(walk, door), ...changingFiles(walk, door, options.ids) };
}

type ReadingMethod =
  | 'stat'
  | 'lstat'
  | 'realPath'
  | 'readLink'
  | 'list'
  | 'open'
  | 'read'
  | 'readText'
  | 'whyInPlace';

const defaultMaxBytes = 64 * 1024 * 1024;

function readingFiles(walk: Walk, door: Door): Pick<Files, ReadingMethod> {
  const { workspace } = walk;
  const read: Files['read'] = (path, { maxBytes = defaultMaxBytes, signal } = {}) =>
    door.reading(path, async (location): Promise<FileContent> => {
      const descriptor = openRegular(walk, location);
      try {
        const { realPath } = location;
        const stat = toFileStat(descriptor.stat);
        const last = stat.size <= maxBytes ? walk.known.lastAt(realPath) : undefined;
        if (last && (await holdsExactly(descriptor, last.bytes))) return { ...last, stat, realPath };
        const shown = nameIn(workspace, location.path);
        const bytes = await readWhole(descriptor, { maxBytes, shown, signal });
        const content = { bytes, hash: await hashBytes(bytes) };
        walk.known.remember(realPath, content);
        return { ...content, stat, realPath };
      } finally {
        closeSync(descriptor.number);
      }
    });
  return {
    stat: (path) => door.looking(path, true, async ({ stat }) => stat && toFileStat(stat)),
    lstat: (path) => door.looking(path, false, async ({ stat }) => stat && toFileStat(stat)),
    realPath: (path) => door.looking(path, true, async ({ realPath }) => realPath),
    whyInPlace: (path) => door.looking(path, true, async (location) => reasonForInPlace(location)),
    readLink: (path) =>
      door.looking(path, false, async (location) => {
        if (!location.stat) throw missing(location, workspace);
        if (location.stat.isSymbolicLink()) return readLinkAt(walk, location);
        throw new ToolError('failed', `${nameIn(workspace, location.path)} is not a link.`);
      }),
    list: (path, signal) =>
      door.looking(path, true, async (location) => {
        requireDirectory(location, workspace);
        return listAt(walk, location, signal);
      }),
    open: (path, signal) =>
      door.reading(path, async (location) => {
        signal?.throwIfAborted();
        return openFile(openRegular(walk, location), location.realPath, nameIn(workspace, location.path));
      }),
    read,
    async readText(path, signal) {
      const { bytes } = await read(path, { signal });
      const { decodeText } = await import('../../base/text-codec.js');
      const decoded = await decodeText(bytes);
      if (decoded) return decoded.text;
      throw new ToolError('failed', `${nameIn(workspace, workspace.resolve(path))} is binary, not text.`);
    },
  };
}

function changingFiles(walk: Walk, door: Door, ids: Pick<Ids, 'next'>): Omit<Files, ReadingMethod> {
  const { workspace } = walk;
  const temporary = (given: string | undefined) =>
    given === undefined ? `.toolwright-${ids.next()}.tmp` : oneName(given);
  return {
    makeDirectory: (path) =>
      door.changing(path, { follow: true, parents: true, roots: true }, async (target) => {
        if (target.location.stat?.isDirectory()) return [];
        if (target.location.stat || target.location.blockedBy)
          throw notADirectory(target.location, workspace);
        return makeDirectoriesAt(target);
      }),
    removeEmptyDirectory: (path) =>
      door.changing(path, { follow: false, parents: true }, async (target) => {
        if (!target.location.stat) return false;
        requireDirectory(target.location, workspace);
        return removeDirectoryAt(target);
      }),
    write: (path, bytes, options) =>
      door.changing(path, { ...options, ...expectedEntry(options.expect) }, async (target) => {
        const temporaryName = temporary(options.temporaryName);
        const stat = await writeAt({ ...options, ...target, bytes, temporaryName });
        const { hash } = options;
        if (hash !== undefined) walk.known.remember(target.location.realPath, { hash, bytes });
        return toFileStat(stat);
      }),
    remove: (path, expect, options = {}) =>
      door.changing(path, { ...options, follow: false, parents: true }, (target) =>
        removeAt({ ...options, ...target, expect }),
      ),
    makeSymlink: (path, target, expect, options = {}) =>
      door.changing(path, { ...options, ...expectedEntry(expect), follow: false }, (entry) => {
        const temporaryName = temporary(options.temporaryName);
        return makeSymlinkAt({ ...options, ...entry, expect, target, temporaryName });
      }),
    setMode: (path, mode, expect, options = {}) =>
      door.changing(path, { ...options, follow: true, parents: true }, (target) =>
        setModeAt({ ...options, ...target, expect }, mode),
      ),
    flush: (directory) =>
      door.looking(directory, true, async (location) => {
        if (location.stat?.isDirectory()) await flushDirectory(walk, location.directory, location.name);
      }),
  };
}

/** Only a new file may lack its folder: an expected file that lost its folder is a conflict. */
function expectedEntry(expect: Expected): { follow: boolean; parents: boolean } {
  return { follow: expect.kind !== 'symlink', parents: expect.kind !== 'absent' };
}

function requireDirectory(location: Location, workspace: Workspace): void {
  if (!location.stat) throw missing(location, workspace);
  if (!location.stat.isDirectory()) throw notADirectory(location, workspace);
}

function notADirectory({ path, blockedBy }: Location, workspace: Workspace): ToolError {
  return new ToolError('failed', `${nameIn(workspace, blockedBy ?? path)} is not a folder.`);
}

function oneName(name: string): string {
  if (name === '' || name === '.' || name === '..' || /[/\\\0]/.test(name)) {
    throw new Error(`not a file name: ${JSON.stringify(name)}`);
  }
  return name;
}

/**
 * The reason why a file can only be overwritten in place, as far as that can be told beforehand: a new file would have
 * another owner, or can't be put there. Null when a new one can replace it.
 */
function reasonForInPlace({ stat, directory, realPath }: Location): string | null {
  if (!stat?.isFile()) return null;
  const user = process.geteuid?.();
  if (user !== undefined && user !== 0) {
    if (stat.uid !== BigInt(user)) return 'it belongs to another user';
    const groups = [process.getegid?.(), ...(process.getgroups?.() ?? [])];
    if (!groups.includes(Number(stat.gid))) return 'it belongs to a group that you are not in';
  }
  if (!mayAccess(directory.at('.'), constants.W_OK)) return 'its folder takes no new files';
  return isMountPoint(realPath) ? 'it is a mount point' : null;
}

interface Changing {
  follow: boolean;
  /** The path must be the real one. */
  exactly?: boolean;
  /** Folders on the path may be missing. */
  parents?: boolean;
  /** The path may be a root itself. */
  roots?: boolean;
}

/** Every operation goes through here: locate, ask the policy about the real path, act, close. */
interface Door {
  looking<T>(path: string, follow: boolean, act: (location: Location) => Promise<T>): Promise<T>;
  reading<T>(path: string, act: (location: Location) => Promise<T>): Promise<T>;
  changing<T>(path: string, options: Changing, act: (target: ChangeTarget) => Promise<T>): Promise<T>;
}

function createDoor(walk: Walk, policy: PathPolicy | undefined): Door {
  const { workspace, access } = walk;

  async function using<T>(doing: string, location: Location, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      throw fileSystemError(error, { doing, shown: nameIn(workspace, location.path) });
    } finally {
      location.directory.close();
    }
  }

  function check(kind: PathAccess, realPath: string): void {
    const reason = policy?.(kind, realPath);
    if (reason) throw new ToolError('denied', reason);
    const root = workspace.rootOf(realPath);
    if (kind === 'write' && root?.access !== 'write') {
      const where = root ? `${root.path}, which this session may only read` : 'no folder of this session';
      throw new ToolError('denied', `${nameIn(workspace, realPath)} is in ${where}.`);
    }
  }

  function permit({ directory, name, realPath, below }: Location): void {
    const present = join(access.presentPath(directory), name, ...below);
    if (present !== realPath) check('write', present);
  }

  return {
    looking: async (path, follow, act) => {
      const location = locate(walk, path, follow);
      return using('look at', location, () => act(location));
    },
    reading: async (path, act) => {
      const location = locate(walk, path, true);
      return using('read', location, () => {
        check('read', location.realPath);
        return act(location);
      });
    },
    changing: async (path, options, act) => {
      const location = locate(walk, path, options.follow);
      return using('change', location, () => {
        check('write', location.realPath);
        refuse(walk, location, options);
        return act({ walk, location, permit: () => permit(location) });
      });
    },
  };
}

function refuse({ workspace }: Walk, location: Location, options: Changing): void {
  const { path, realPath } = location;
  const shown = nameIn(workspace, path);
  if (options.exactly && realPath !== path) {
    throw new ToolError(
      'conflict',
      `${shown} leads to ${nameIn(workspace, realPath)} through a link by now. Nothing was changed there. Read it again, then repeat the change.`,
    );
  }
  if (!options.roots && workspace.roots.some((root) => root.path === realPath)) {
    throw new ToolError('denied', `${shown} is a folder this session works in; it stays as it is.`);
  }
  if (!options.parents && (location.below.length > 0 || location.blockedBy !== undefined)) {
    throw missing(location, workspace);
  }
}
