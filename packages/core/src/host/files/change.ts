import {
  chmodSync,
  closeSync,
  fchmodSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { isNodeError, ToolError } from '../../base/errors.js';
import type { Expected } from '../files.js';
import { requireExpected } from './expect.js';
import { openRegular } from './read.js';
import type { Location, Walk } from './walk.js';
import { flushDirectory, type Saving, saveReplaced } from './write.js';

export interface Change extends Saving {
  expect: Expected;
}

export async function removeAt(change: Change): Promise<void> {
  const { walk, location, expect } = change;
  const { directory, name } = location;
  const found = await requireExpected(walk, location, expect);
  if (found.kind === 'absent') return;
  await saveReplaced(change, found, { mayLink: true });
  walk.access.confirm(directory, { name, stat: found.stat });
  unlinkSync(directory.at(name));
  await flushDirectory(directory);
}

export async function makeSymlinkAt(
  change: Change & { target: string; temporaryName: string },
): Promise<void> {
  const { walk, location, expect, target, temporaryName } = change;
  const { directory, name } = location;
  if (target === '' || target.includes('\0')) {
    throw new ToolError('invalid_params', "A link's target can't be empty or contain a NUL character.");
  }
  const found = await requireExpected(walk, location, expect);
  if (found.kind === 'absent') {
    symlinkSync(target, directory.at(name));
  } else {
    symlinkSync(target, directory.at(temporaryName));
    try {
      await saveReplaced(change, found, { mayLink: true });
      walk.access.confirm(directory, { name, stat: found.stat });
      renameSync(directory.at(temporaryName), directory.at(name));
    } catch (error) {
      rmSync(directory.at(temporaryName), { force: true });
      throw error;
    }
  }
  await flushDirectory(directory);
}

export async function setModeAt({ walk, location, expect }: Change, mode: number): Promise<void> {
  const found = await requireExpected(walk, location, expect);
  if (found.kind === 'directory') return setDirectoryModeAt(walk, location, mode);
  if (found.kind !== 'file') {
    throw new ToolError(
      'failed',
      `${walk.workspace.show(location.path)} is not a regular file; its mode was not changed.`,
    );
  }
  const { number, stat } = openRegular(walk, { ...location, stat: found.stat });
  try {
    if (stat.ino !== found.stat.ino || stat.dev !== found.stat.dev) throw replacedJustNow(walk, location);
    fchmodSync(number, mode & 0o777);
  } finally {
    closeSync(number);
  }
}

/** The set-group-id and sticky bits of a folder stay: they are not among the permissions a change names. */
function setDirectoryModeAt(walk: Walk, location: Location, mode: number): void {
  const entered = walk.access.enter(location.directory, location.name);
  if (typeof entered === 'string') throw replacedJustNow(walk, location);
  try {
    const stat = statSync(entered.at('.'));
    walk.access.confirm(entered);
    chmodSync(entered.at('.'), (stat.mode & 0o7000) | (mode & 0o777));
  } finally {
    entered.close();
  }
}

function replacedJustNow(walk: Walk, location: Location): ToolError {
  return new ToolError('conflict', `${walk.workspace.show(location.path)} was replaced just now. Try again.`);
}

/** Makes the missing entry of the location; null when someone else did first. */
export async function makeDirectoryAt(walk: Walk, { directory, name }: Location): Promise<string | null> {
  try {
    mkdirSync(directory.at(name));
  } catch (error) {
    if (isNodeError(error, 'EEXIST')) return null;
    throw error;
  }
  walk.access.confirm(directory);
  await flushDirectory(directory);
  return join(directory.realPath, name);
}

/** False when it is not empty, or not there. */
export async function removeDirectoryAt(walk: Walk, { directory, name }: Location): Promise<boolean> {
  walk.access.confirm(directory);
  try {
    rmdirSync(directory.at(name));
  } catch (error) {
    if (isNodeError(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT')) return false;
    throw error;
  }
  await flushDirectory(directory);
  return true;
}
