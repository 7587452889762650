import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  copyFile,
  fsync,
  linkSync,
  lstatSync,
  openSync,
  rmSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { isNodeError } from '../../base/errors.js';
import type { HeldDirectory } from '../platform/directory-access.js';
import { type Found, hashFile, requireSame, sameFile } from './expect.js';
import { fill, noFollow, openRegular } from './read.js';
import type { FoundPath } from './walk.js';
import { writeAll } from './write-all.js';

const copyFileAsync = promisify(copyFile);
const fsyncAsync = promisify(fsync);

const pieceBytes = 1024 * 1024;

export interface Saving extends FoundPath {
  saveReplaced?: string;
}

/**
 * Saves the file that a change replaces. A hard link costs nothing and needs no flush: the file system orders it
 * before the rename that follows. It is made just before the old entry goes, so that nothing can write through it
 * later. Returns a function that takes the link back, in case the entry stays.
 */
export async function saveReplaced(saving: Saving, found: Found, mayLink: boolean): Promise<() => void> {
  const { saveReplaced: destination } = saving;
  if (found.kind !== 'file' || destination === undefined) return () => undefined;
  try {
    if (mayLink && isLinkable(found.stat) && linkFound(saving, found.stat, destination)) {
      return () => rmSync(destination, { force: true });
    }
    await copyFound(saving, found.stat, destination);
  } catch (error) {
    if (!isNodeError(error, 'EEXIST')) throw error;
    if (found.hash === undefined || (await hashFile(destination)) !== found.hash) {
      throw new Error(`${destination} holds something else already`, { cause: error });
    }
  }
  return () => undefined;
}

/** A file of another user is copied, not linked: its owner could change it through the link. */
function isLinkable({ nlink, uid }: BigIntStats): boolean {
  const user = process.geteuid?.();
  return nlink === 1n && (user === undefined || user === 0 || uid === BigInt(user));
}

/** False where a link can't be made: on another file system, or one without links. */
function linkFound(saving: Saving, found: BigIntStats, destination: string): boolean {
  const { directory, name } = saving.location;
  try {
    linkSync(directory.at(name), destination);
  } catch (error) {
    if (isNodeError(error, 'EEXIST', 'ENOENT')) throw error;
    return false;
  }
  const saved = lstatSync(destination, { bigint: true });
  if (!sameFile(saved, found)) rmSync(destination, { force: true });
  requireSame(saving, found, saved);
  return true;
}

/** Copies the file, sharing blocks where the file system can, and flushes the copy. */
async function copyFound(saving: Saving, found: BigIntStats, destination: string): Promise<void> {
  const { walk, location } = saving;
  const { number, stat } = openRegular(walk, { ...location, stat: found });
  let copied = false;
  try {
    requireSame(saving, found, stat);
    const source = walk.access.reopenPath(number);
    if (source === null) await copyDescriptor(number, destination);
    else await copyFileAsync(source, destination, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    copied = true;
    // The file's own mode might lock us out of the copy.
    chmodSync(destination, 0o600);
    requireSame(saving, found);
    await flush(destination, constants.O_RDONLY);
    await flush(dirname(destination), constants.O_RDONLY);
  } catch (error) {
    if (copied) rmSync(destination, { force: true });
    throw error;
  } finally {
    closeSync(number);
  }
}

async function copyDescriptor(source: number, destination: string): Promise<void> {
  const target = openSync(destination, 'wx', 0o600);
  try {
    const buffer = Buffer.allocUnsafeSlow(pieceBytes);
    for (let offset = 0, filled = pieceBytes; filled === pieceBytes; offset += filled) {
      filled = await fill(source, buffer, offset);
      await writeAll(target, buffer.subarray(0, filled), { at: offset });
    }
  } finally {
    closeSync(target);
  }
}

export async function flushDirectory(directory: HeldDirectory, name = '.'): Promise<void> {
  await flush(directory.at(name), constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | noFollow);
}

async function flush(path: string, flags: number): Promise<void> {
  let descriptor: number;
  try {
    descriptor = openSync(path, flags);
  } catch (error) {
    // A folder that may be entered but not read can't be flushed; Windows opens no folders at all.
    if (isNodeError(error, 'EACCES', 'EPERM', 'EISDIR')) return;
    throw error;
  }
  try {
    await fsyncAsync(descriptor);
  } catch (error) {
    if (!isNodeError(error, 'EINVAL', 'EPERM', 'ENOTSUP', 'EBADF')) throw error;
  } finally {
    closeSync(descriptor);
  }
}
