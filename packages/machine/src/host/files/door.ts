import { join } from 'node:path';
import { ToolError } from '../../base/errors.js';
import { fileSystemError, nameIn } from './error.js';
import { missing } from './read.js';
import { type FoundPath, type Location, locate, type Walk } from './walk.js';

/** Asked with the real path whenever content is read or something is changed; returns the reason for a refusal. */
export type PathPolicy = (access: 'read' | 'write', realPath: string) => string | null;

interface Changing {
  follow: boolean;
  /** The path must be the real one. */
  exactly?: boolean;
  /** Folders on the path may be missing. */
  parents?: boolean;
  /** The path may be a root itself. */
  roots?: boolean;
}

/** An entry that may be changed. */
export interface ChangeTarget extends FoundPath {
  /** Asks the policy once more, with the path the folder has at this moment. */
  permit(): void;
}

/** Every operation goes through here: locate, ask the policy about the real path, act, close. */
export interface Door {
  looking<T>(path: string, follow: boolean, act: (location: Location) => Promise<T>): Promise<T>;
  reading<T>(path: string, act: (location: Location) => Promise<T>): Promise<T>;
  changing<T>(path: string, options: Changing, act: (target: ChangeTarget) => Promise<T>): Promise<T>;
}

export function createDoor(walk: Walk, policy: PathPolicy | undefined): Door {
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

  function check(kind: 'read' | 'write', realPath: string): void {
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
