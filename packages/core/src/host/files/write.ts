import {
  type BigIntStats,
  closeSync,
  constants,
  copyFile,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  ftruncate,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  write,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { isNodeError, ToolError } from '../../base/errors.js';
import type { WriteOptions } from '../files.js';
import type { HeldDirectory } from '../platform/directory-access.js';
import { type Found, requireExpected } from './expect.js';
import { noFollow, openRegular } from './read.js';
import type { Location, Walk } from './walk.js';

const writeAsync = promisify(write);
const fsyncAsync = promisify(fsync);
const ftruncateAsync = promisify(ftruncate);
const copyFileAsync = promisify(copyFile);

const pieceBytes = 8 * 1024 * 1024;

export interface Write extends WriteOptions {
  walk: Walk;
  location: Location;
  bytes: Uint8Array;
  temporaryName: string;
}

/** Puts the bytes at the location and returns what is there then. */
export async function writeAt(job: Write): Promise<BigIntStats> {
  const { location, expect } = job;
  if (expect.kind === 'absent' ? location.stat : !location.stat)
    await requireExpected(job.walk, location, expect);
  if (expect.kind === 'file' && location.stat && location.stat.nlink > 1n) return writeInPlace(job);
  const result = await writeBeside(job);
  return result ?? writeInPlace(job);
}

/** A temporary file and a rename. Null when only writing in place can keep the file what it is. */
async function writeBeside(job: Write): Promise<BigIntStats | null> {
  const { walk, location, bytes, temporaryName, signal } = job;
  const { directory, name } = location;
  const temporary = createTemporary(job);
  if (temporary === null) return null;
  let published = false;
  try {
    walk.access.confirm(directory, { name: temporaryName, stat: fstatSync(temporary, { bigint: true }) });
    if (!keepOwnerAndMode(job, temporary)) return null;
    await writeAll(temporary, bytes, 0, signal);
    await fsyncAsync(temporary);
    const found = await requireExpected(walk, location, job.expect);
    signal?.throwIfAborted();
    if (found.kind === 'file' && found.stat.nlink > 1n) return null;
    if (job.saveReplaced !== undefined) await saveReplaced(job, found, { mayLink: true });
    published = publish(directory, { from: temporaryName, to: name, exclusive: found.kind === 'absent' });
    if (!published) return null;
    const stat = fstatSync(temporary, { bigint: true });
    walk.access.confirm(directory, { name, stat });
    await flushDirectory(directory);
    return stat;
  } finally {
    closeSync(temporary);
    if (!published) rmSync(directory.at(temporaryName), { force: true });
  }
}

/** Null when the folder takes no new files but the existing one may still be written. */
function createTemporary({ location, temporaryName, mode }: Write): number | null {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | noFollow;
  const present = location.stat ? Number(location.stat.mode & 0o777n) : 0o666;
  try {
    return openSync(location.directory.at(temporaryName), flags, mode ?? present);
  } catch (error) {
    if (location.stat?.isFile() && isNodeError(error, 'EACCES', 'EPERM')) return null;
    throw error;
  }
}

/**
 * Set-user-id bits are dropped, as the kernel does when a file is written. False when the owner can't be kept:
 * a file of someone else that one may write but not give back to them.
 */
function keepOwnerAndMode({ location, mode }: Write, temporary: number): boolean {
  const own = fstatSync(temporary, { bigint: true });
  const old = location.stat?.isFile() ? location.stat : null;
  if (old && (old.uid !== own.uid || old.gid !== own.gid)) {
    try {
      fchownSync(temporary, Number(old.uid), Number(old.gid));
    } catch (error) {
      if (isNodeError(error, 'EPERM', 'EACCES', 'EINVAL')) return false;
      throw error;
    }
  }
  const wanted = mode ?? (old ? Number(old.mode) : undefined);
  if (wanted !== undefined) fchmodSync(temporary, wanted & 0o777);
  return true;
}

/** False when the system refuses to replace this very entry, as it does for a file that is a mount point. */
function publish(directory: HeldDirectory, move: { from: string; to: string; exclusive: boolean }): boolean {
  const from = directory.at(move.from);
  const to = directory.at(move.to);
  try {
    if (move.exclusive && linked(from, to)) unlinkSync(from);
    else renameSync(from, to);
    return true;
  } catch (error) {
    if (!move.exclusive && isNodeError(error, 'EBUSY', 'EPERM', 'EACCES')) return false;
    throw error;
  }
}

/** A link fails when something is there by now, a rename would replace it. False where there are no hard links. */
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (isNodeError(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EACCES')) return false;
    throw error;
  }
}

/**
 * Keeps other hard links, the owner and a mount point. Not atomic: a crash in the middle leaves a torn file, so
 * whoever must survive one saves the old bytes first, by `saveReplaced` or otherwise, and journals the write.
 */
async function writeInPlace(job: Write): Promise<BigIntStats> {
  const { walk, location, bytes, signal } = job;
  const found = await requireExpected(walk, location, job.expect);
  if (found.kind !== 'file') {
    throw new ToolError('denied', `${walk.workspace.show(location.path)} can't be replaced in its folder.`);
  }
  signal?.throwIfAborted();
  if (job.saveReplaced !== undefined) await saveReplaced(job, found, { mayLink: false });
  await job.beforeInPlace?.();
  const { number, stat } = openRegular(walk, { ...location, stat: found.stat }, constants.O_RDWR);
  try {
    requireSame(job, found.stat, stat);
    await overwrite(number, bytes, Number(stat.size));
    if (job.mode !== undefined) fchmodSync(number, job.mode & 0o777);
    await fsyncAsync(number);
    return fstatSync(number, { bigint: true });
  } finally {
    closeSync(number);
  }
}

/** The part beyond the old end goes first: when the disk is full the old bytes are still whole. */
async function overwrite(descriptor: number, bytes: Uint8Array, oldSize: number): Promise<void> {
  try {
    if (bytes.byteLength > oldSize) await writeAll(descriptor, bytes.subarray(oldSize), oldSize);
  } catch (error) {
    await ftruncateAsync(descriptor, oldSize);
    throw error;
  }
  await writeAll(descriptor, bytes.subarray(0, oldSize), 0);
  await ftruncateAsync(descriptor, bytes.byteLength);
}

async function writeAll(
  descriptor: number,
  bytes: Uint8Array,
  at: number,
  signal?: AbortSignal,
): Promise<void> {
  for (let done = 0; done < bytes.byteLength; ) {
    signal?.throwIfAborted();
    const length = Math.min(pieceBytes, bytes.byteLength - done);
    const { bytesWritten } = await writeAsync(descriptor, bytes, done, length, at + done);
    done += bytesWritten;
  }
}

export interface Saving {
  walk: Walk;
  location: Location;
  saveReplaced?: string;
}

/**
 * A hard link costs nothing and needs no flush: the file system orders it before the rename that follows. It is
 * made only in the moment before the old entry goes, so that nothing can write through it later.
 */
export async function saveReplaced(
  { walk, location, saveReplaced: destination }: Saving,
  found: Found,
  { mayLink }: { mayLink: boolean },
): Promise<void> {
  if (found.kind !== 'file' || destination === undefined) return;
  if (mayLink && found.stat.nlink === 1n && linkedElsewhere(location, destination)) {
    const saved = lstatSync(destination, { bigint: true });
    if (saved.ino === found.stat.ino && saved.dev === found.stat.dev) return;
    unlinkSync(destination);
    requireSame({ walk, location }, found.stat, saved);
  }
  const stat = await copyAt({ walk, location }, destination);
  if (stat.mtimeNs !== found.stat.mtimeNs || stat.size !== found.stat.size)
    rmSync(destination, { force: true });
  requireSame({ walk, location }, found.stat, stat);
}

function linkedElsewhere({ directory, name }: Location, destination: string): boolean {
  try {
    linkSync(directory.at(name), destination);
    return true;
  } catch (error) {
    if (isNodeError(error, 'EEXIST', 'ENOENT')) throw error;
    return false;
  }
}

function requireSame({ walk, location }: Saving, expected: BigIntStats, actual: BigIntStats): void {
  const same = ['dev', 'ino', 'size', 'mtimeNs'] as const;
  if (same.every((field) => expected[field] === actual[field])) return;
  throw new ToolError(
    'conflict',
    `${walk.workspace.show(location.path)} was changed by another program just now. Read it again, then repeat the change.`,
  );
}

/** Copies the file at the location, sharing blocks where possible, and flushes the copy. */
export async function copyAt({ walk, location }: Saving, destination: string): Promise<BigIntStats> {
  const { number, stat } = openRegular(walk, location);
  try {
    const source = walk.access.reopenPath(location.directory, location.name, number);
    await copyFileAsync(source, destination, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    walk.access.confirm(location.directory, { name: location.name, stat });
    await flush(destination, constants.O_RDONLY);
    await flush(dirname(destination), constants.O_RDONLY);
    return stat;
  } finally {
    closeSync(number);
  }
}

export async function flushDirectory(directory: HeldDirectory): Promise<void> {
  await flush(directory.at('.'), constants.O_RDONLY | (constants.O_DIRECTORY ?? 0));
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
