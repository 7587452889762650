import { closeSync } from 'node:fs';
import { ToolError } from '../../base/errors.js';
import type { Ids } from '../host.js';
import { chooseDirectoryAccess } from '../platform/choose-directory-access.js';
import type { DirectoryAccess } from '../platform/directory-access.js';
import type { Workspace } from '../workspace.js';
import { makeDirectoriesAt, makeSymlinkAt, removeAt, removeDirectoryAt, setModeAt } from './change.js';
import { createDoor, type Door, type PathPolicy } from './door.js';
import { nameIn } from './error.js';
import { hashBytes, holdsExactly } from './expect.js';
import type { Expected, FileContent, Files } from './files.js';
import { reasonForInPlace } from './in-place.js';
import { createKnownBytes, type KnownBytes } from './known-bytes.js';
import { listAt } from './list.js';
import { missing, openFile, openRegular, readWhole, toFileStat } from './read.js';
import { flushDirectory } from './save.js';
import { type Location, readLinkAt, type Walk } from './walk.js';
import { writeAt } from './write.js';

export interface FilesOptions {
  ids: Pick<Ids, 'next'>;
  policy?: PathPolicy;
  /** Chosen by operating system unless given. */
  access?: DirectoryAccess;
  /** Shared where one door writes what another will read next. */
  known?: KnownBytes;
}

export function createFiles(workspace: Workspace, options: FilesOptions): Files {
  const access = options.access ?? chooseDirectoryAccess();
  const walk: Walk = { workspace, access, known: options.known ?? createKnownBytes() };
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
        if (location.stat?.isDirectory()) await flushDirectory(location.directory, location.name);
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
