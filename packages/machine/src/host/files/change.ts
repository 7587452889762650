import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { isNodeError, ToolError } from '../../base/errors.js';
import type { HeldDirectory } from '../platform/directory-access.js';
import { type Expectation, requireExpected, requireSame } from './expect.js';
import { noFollow, openRegular } from './read.js';
import { type ChangeTarget, isDirectory, nameIn } from './walk.js';
import { discardTemporary, flushDirectory, isAbsent, saveReplaced } from './write.js';

interface Change extends ChangeTarget, Expectation {
  saveReplaced?: string;
  flush?: boolean;
}

export async function removeAt(change: Change): Promise<void> {
  const { walk, location, permit } = change;
  const { directory, name } = location;
  const found = await requireExpected(change);
  if (found.kind === 'absent') return;
  if (found.kind === 'directory') throw isDirectory(walk.workspace, location.path);
  await saveReplaced(change, found, true);
  permit();
  walk.access.confirm(directory, { name, stat: found.stat });
  requireSame(change, found.stat);
  unlinkSync(directory.at(name));
  if (change.flush !== false) await flushDirectory(walk, directory);
}

export async function makeSymlinkAt(
  change: Change & { target: string; temporaryName: string },
): Promise<void> {
  const { walk, location, target, temporaryName, permit } = change;
  const { directory, name } = location;
  if (target === '' || target.includes('\0')) {
    throw new ToolError('invalid_params', "A link's target can't be empty or contain a NUL character.");
  }
  const found = await requireExpected(change);
  if (found.kind === 'directory') throw isDirectory(walk.workspace, location.path);
  permit();
  if (found.kind === 'absent') {
    symlinkSync(target, directory.at(name));
  } else {
    symlinkSync(target, directory.at(temporaryName));
    try {
      await saveReplaced(change, found, true);
      permit();
      walk.access.confirm(directory, { name, stat: found.stat });
      requireSame(change, found.stat);
      renameSync(directory.at(temporaryName), directory.at(name));
    } catch (error) {
      const isGone = () => isAbsent(walk, directory, temporaryName);
      await discardTemporary(directory.at(temporaryName), isGone);
      throw error;
    }
  }
  if (change.flush !== false) await flushDirectory(walk, directory);
}

export async function setModeAt(change: Change, mode: number): Promise<void> {
  const { walk, location, permit } = change;
  const found = await requireExpected(change);
  if (found.kind === 'directory') return setDirectoryModeAt(change, mode);
  if (found.kind !== 'file') {
    const shown = nameIn(walk.workspace, location.path);
    throw new ToolError('failed', `${shown} is not a regular file; its mode was not changed.`);
  }
  const { number, stat } = openRegular(walk, { ...location, stat: found.stat });
  try {
    requireSame(change, found.stat, stat);
    permit();
    fchmodSync(number, mode & 0o777);
  } finally {
    closeSync(number);
  }
}

/** The set-group-id and sticky bits of a folder are preserved: a change does not name them. */
function setDirectoryModeAt({ walk, location, permit }: ChangeTarget, mode: number): void {
  const { directory, name } = location;
  const flags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | noFollow;
  const descriptor = openSync(directory.at(name), flags);
  try {
    const stat = fstatSync(descriptor, { bigint: true });
    walk.access.confirm(directory, { name, stat });
    permit();
    fchmodSync(descriptor, Number(stat.mode & 0o7000n) | (mode & 0o777));
  } finally {
    closeSync(descriptor);
  }
}

function replacedJustNow({ walk, location }: ChangeTarget): ToolError {
  return new ToolError(
    'conflict',
    `${nameIn(walk.workspace, location.path)} was replaced just now. Try again.`,
  );
}

/** Makes the missing folder at the location and the folders below it; returns those that were not there. */
export async function makeDirectoriesAt(target: ChangeTarget): Promise<string[]> {
  const { walk, location } = target;
  const made: string[] = [];
  let parent = location.directory;
  try {
    for (const name of [location.name, ...location.below]) {
      target.permit();
      if (makeDirectory(parent, name)) made.push(join(parent.realPath, name));
      walk.access.confirm(parent);
      await flushDirectory(walk, parent);
      const entered = walk.access.enter(parent, name);
      if (typeof entered === 'string') throw replacedJustNow(target);
      if (parent !== location.directory) parent.close();
      parent = entered;
    }
    return made;
  } finally {
    if (parent !== location.directory) parent.close();
  }
}

/** False when someone else made it first. */
function makeDirectory(parent: HeldDirectory, name: string): boolean {
  try {
    mkdirSync(parent.at(name));
    return true;
  } catch (error) {
    if (isNodeError(error, 'EEXIST')) return false;
    throw error;
  }
}

/** False when the folder is not empty or not there. */
export async function removeDirectoryAt({ walk, location, permit }: ChangeTarget): Promise<boolean> {
  const { directory, name } = location;
  permit();
  try {
    rmdirSync(directory.at(name));
  } catch (error) {
    if (isNodeError(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT')) return false;
    throw error;
  }
  await flushDirectory(walk, directory);
  return true;
}
