import { closeSync, readlinkSync } from 'node:fs';
import { ToolError } from '../../base/errors.js';
import type { FileContent, Files } from '../files.js';
import type { Ids } from '../host.js';
import { chooseDirectoryAccess } from '../platform/choose-directory-access.js';
import type { DirectoryAccess } from '../platform/directory-access.js';
import type { Workspace } from '../workspace.js';
import { makeDirectoryAt, makeSymlinkAt, removeAt, removeDirectoryAt, setModeAt } from './change.js';
import { fileSystemError } from './error.js';
import { hashBytes } from './expect.js';
import { listDirectory, missing, openFile, openRegular, readWhole, toFileStat } from './read.js';
import { decodeTarget, type Location, locate, type Walk } from './walk.js';
import { copyAt, writeAt } from './write.js';

/** Asked with the real path whenever content is read or something is changed; a text is the reason for a no. */
export type PathPolicy = (access: 'read' | 'write', realPath: string) => string | null;

export interface FilesOptions {
  ids: Pick<Ids, 'next'>;
  policy?: PathPolicy;
  /** Chosen by the operating system unless given. */
  access?: DirectoryAccess;
}

const defaultMaxBytes = 64 * 1024 * 1024;

export function createFiles(workspace: Workspace, options: FilesOptions): Files {
  const walk: Walk = { workspace, access: options.access ?? chooseDirectoryAccess() };
  const door = createDoor(walk, options.policy);
  const temporaryName = (given: string | undefined) =>
    given === undefined ? `.toolwright-${options.ids.next()}.tmp` : oneName(given);

  const readContent: Files['read'] = (path, { maxBytes = defaultMaxBytes, signal } = {}) =>
    door.reading(path, async (location): Promise<FileContent> => {
      const descriptor = openRegular(walk, location);
      try {
        const bytes = await readWhole(descriptor, { maxBytes, shown: workspace.show(location.path), signal });
        const hash = await hashBytes(bytes);
        return { bytes, hash, stat: toFileStat(descriptor.stat), realPath: location.realPath };
      } finally {
        closeSync(descriptor.number);
      }
    });

  return {
    stat: (path) => door.looking(path, true, async ({ stat }) => stat && toFileStat(stat)),
    lstat: (path) => door.looking(path, false, async ({ stat }) => stat && toFileStat(stat)),
    realPath: (path) => door.looking(path, true, async ({ realPath }) => realPath),
    readLink: (path) => door.looking(path, false, async (location) => readLinkAt(walk, location)),
    list: (path, signal) =>
      door.looking(path, true, async (location) => {
        requireDirectory(location, workspace);
        return listDirectory(walk, location, signal);
      }),
    open: (path, signal) =>
      door.reading(path, async (location) => {
        signal?.throwIfAborted();
        return openFile(openRegular(walk, location), location.realPath, workspace.show(location.path));
      }),
    read: readContent,
    async readText(path, signal) {
      const { bytes } = await readContent(path, { signal });
      const { decodeText } = await import('../../base/text-codec.js');
      const decoded = await decodeText(bytes);
      if (decoded) return decoded.text;
      throw new ToolError('failed', `${workspace.show(workspace.resolve(path))} is binary, not text.`);
    },

    async makeDirectory(path) {
      const made: string[] = [];
      for (;;) {
        const finished = await door.changing(path, { follow: true, parents: true }, async (location) => {
          if (location.stat?.isDirectory()) return true;
          if (location.stat || location.blockedBy) throw notADirectory(location, workspace);
          const directory = await makeDirectoryAt(walk, location);
          if (directory !== null) made.push(directory);
          return false;
        });
        if (finished) return made;
      }
    },
    removeEmptyDirectory: (path) =>
      door.changing(path, { follow: false, parents: true }, async (location) => {
        if (!location.stat) return false;
        requireDirectory(location, workspace);
        return removeDirectoryAt(walk, location);
      }),
    write: (path, bytes, write) =>
      door.changing(path, { follow: write.expect.kind !== 'symlink', ...write }, async (location) => {
        const name = temporaryName(write.temporaryName);
        return toFileStat(await writeAt({ ...write, walk, location, bytes, temporaryName: name }));
      }),
    remove: (path, expect, change = {}) =>
      door.changing(path, { follow: false, parents: expect.kind === 'absent', ...change }, (location) =>
        removeAt({ ...change, walk, location, expect }),
      ),
    makeSymlink: (path, target, expect, change = {}) =>
      door.changing(path, { follow: false, ...change }, (location) => {
        const name = temporaryName(change.temporaryName);
        return makeSymlinkAt({ ...change, walk, location, expect, target, temporaryName: name });
      }),
    setMode: (path, mode, expect, change = {}) =>
      door.changing(path, { follow: true, ...change }, (location) =>
        setModeAt({ walk, location, expect }, mode),
      ),
    copyTo: (path, destination) =>
      door.reading(path, async (location) => {
        await copyAt({ walk, location }, destination);
      }),
  };
}

/** Every operation goes through here: find, check the rules on the real path, act, let go. */
function createDoor(walk: Walk, policy: PathPolicy | undefined) {
  const { workspace } = walk;

  async function using<T>(
    doing: string,
    location: Location,
    act: (location: Location) => Promise<T>,
  ): Promise<T> {
    try {
      return await act(location);
    } catch (error) {
      throw fileSystemError(error, { doing, shown: workspace.show(location.path) });
    } finally {
      location.directory.close();
    }
  }

  function check(access: 'read' | 'write', { realPath, path }: Location): void {
    const reason = policy?.(access, realPath);
    if (reason) throw new ToolError('denied', reason);
    const root = workspace.rootOf(realPath);
    if (access === 'write' && root?.access !== 'write') {
      throw new ToolError(
        'denied',
        `${workspace.show(path)} is in ${root?.path}, which this session may only read.`,
      );
    }
  }

  return {
    looking: async <T>(path: string, follow: boolean, act: (location: Location) => Promise<T>): Promise<T> =>
      using('look at', locate(walk, path, follow), act),
    reading: async <T>(path: string, act: (location: Location) => Promise<T>): Promise<T> =>
      using('read', locate(walk, path, true), async (location) => {
        check('read', location);
        return act(location);
      }),
    changing: async <T>(
      path: string,
      { follow, parents = false, exactly = false }: { follow: boolean; parents?: boolean; exactly?: boolean },
      act: (location: Location) => Promise<T>,
    ): Promise<T> =>
      using('change', locate(walk, path, follow), async (location) => {
        check('write', location);
        if (exactly && location.realPath !== path) throw elsewhere(location, workspace);
        const isRoot = workspace.roots.some((root) => root.path === location.realPath);
        if (isRoot && !parents)
          throw new ToolError('denied', `${workspace.show(path)} is a folder, not a file.`);
        if (!parents && (location.below.length > 0 || location.blockedBy)) {
          throw missing(location, workspace.show(location.path));
        }
        return act(location);
      }),
  };
}

function readLinkAt(walk: Walk, { directory, name, stat, path, ...location }: Location): string {
  const shown = walk.workspace.show(path);
  if (!stat) throw missing({ directory, name, stat, path, ...location }, shown);
  if (!stat.isSymbolicLink()) throw new ToolError('failed', `${shown} is not a link.`);
  const target = decodeTarget(readlinkSync(directory.at(name), 'buffer'), shown);
  walk.access.confirm(directory, { name, stat });
  return target;
}

function elsewhere({ path, realPath }: Location, workspace: Workspace): ToolError {
  return new ToolError(
    'conflict',
    `${workspace.show(path)} leads to ${workspace.show(realPath)} through a link by now. Nothing was changed there. Read it again, then repeat the change.`,
  );
}

function requireDirectory(location: Location, workspace: Workspace): void {
  if (!location.stat) throw missing(location, workspace.show(location.path));
  if (!location.stat.isDirectory()) throw notADirectory(location, workspace);
}

function notADirectory({ path, blockedBy }: Location, workspace: Workspace): ToolError {
  return new ToolError('failed', `${workspace.show(blockedBy ?? path)} is a file, not a folder.`);
}

function oneName(name: string): string {
  if (name === '' || name === '.' || name === '..' || /[/\\\0]/.test(name)) {
    throw new Error(`not a file name: ${JSON.stringify(name)}`);
  }
  return name;
}
