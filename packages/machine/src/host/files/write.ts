import {
  type BigIntStats,
  chmodSync,
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
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isNodeError, isToolError, ToolError } from '../../base/errors.js';
import type { HeldDirectory } from '../platform/directory-access.js';
import { type Found, hashFile, requireExpected, requireSame, sameFile } from './expect.js';
import type { WriteOptions } from './files.js';
import { fill, noFollow, openRegular } from './read.js';
import { type ChangeTarget, entryAt, type FoundPath, isDirectory, nameIn, type Walk } from './walk.js';

const fsyncAsync = promisify(fsync);
const ftruncateAsync = promisify(ftruncate);

interface Write extends WriteOptions, ChangeTarget {
  bytes: Uint8Array;
  temporaryName: string;
}

/** Writes the bytes at the location and returns the stat of the result. */
export async function writeAt(job: Write): Promise<BigIntStats> {
  const { location, expect } = job;
  const hopeless = expect.kind === 'absent' ? location.stat : !location.stat;
  if (hopeless) await requireExpected(job);
  if (expect.kind === 'directory') throw isDirectory(job.walk.workspace, location.path);
  if (expect.kind === 'file' && location.stat && location.stat.nlink > 1n) return writeInPlace(job);
  return (await writeBeside(job)) ?? writeInPlace(job);
}

/** Writes a temporary file and renames it. Null when only writing in place preserves the file's identity. */
async function writeBeside(job: Write): Promise<BigIntStats | null> {
  const { walk, location, bytes, temporaryName, signal } = job;
  const { directory, name } = location;
  const temporary = createTemporary(job);
  if (temporary === null) return null;
  let published = false;
  try {
    walk.access.confirm(directory, { name: temporaryName, stat: fstatSync(temporary, { bigint: true }) });
    if (!keepOwnerAndMode(job, temporary)) return null;
    await writeAll(temporary, bytes, { at: 0, signal });
    await bothDone(flushFile(walk, temporary), job.waitFor);
    const found = await requireExpected(job);
    signal?.throwIfAborted();
    if (found.kind === 'file' && found.stat.nlink > 1n) return null;
    const unlink = await saveReplaced(job, found, true);
    job.permit();
    if (found.kind !== 'absent') requireSame(job, found.stat);
    published = publish(directory, { from: temporaryName, to: name, exclusive: found.kind === 'absent' });
    if (!published) {
      unlink();
      return null;
    }
    const stat = fstatSync(temporary, { bigint: true });
    walk.access.confirm(directory, { name, stat });
    if (job.flush !== false) await flushDirectory(walk, directory);
    return stat;
  } finally {
    if (!published) await discardTemporary(directory.at(temporaryName), () => hasNoName(temporary));
    closeSync(temporary);
  }
}

/** Waits for both, also when the first fails, unlike `Promise.all`. */
async function bothDone(one: Promise<void>, other: Promise<void> | undefined): Promise<void> {
  for (const result of await Promise.allSettled([one, other])) {
    if (result.status === 'rejected') throw result.reason;
  }
}

/** Null when the folder takes no new files but the existing one may still be written. */
function createTemporary({ location, temporaryName, mode }: Write): number | null {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | noFollow;
  const present = location.stat?.isFile() ? Number(location.stat.mode & 0o777n) : 0o666;
  try {
    return openSync(location.directory.at(temporaryName), flags, mode ?? present);
  } catch (error) {
    if (location.stat?.isFile() && isNodeError(error, 'EACCES', 'EPERM')) return null;
    if (!isNodeError(error, 'EEXIST')) throw error;
    throw new ToolError(
      'failed',
      `${temporaryName}, a temporary file of an earlier run, is in the way. Remove it.`,
    );
  }
}

/**
 * Drops set-user-id bits, as the kernel does when a file is written. False when the owner can't be kept: the file
 * belongs to someone else, and we may write it but not give it back.
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

/** False when the system refuses to replace this entry, as for a file that is a mount point. */
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

/** A link fails when something is there by now; a rename would replace it. False where hard links don't exist. */
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
 * Preserves other hard links, the owner and a mount point. Not atomic: a crash in the middle leaves a torn file, so
 * callers that must survive one save the old bytes first and journal the write.
 */
async function writeInPlace(job: Write): Promise<BigIntStats> {
  const { walk, location, bytes, signal } = job;
  const found = await requireExpected(job);
  if (found.kind !== 'file') {
    throw new ToolError(
      'denied',
      `${nameIn(walk.workspace, location.path)} can't be replaced in its folder.`,
    );
  }
  signal?.throwIfAborted();
  await job.waitFor;
  await saveReplaced(job, found, false);
  await job.beforeInPlace?.();
  const { number, stat } = openRegular(walk, { ...location, stat: found.stat }, constants.O_RDWR);
  try {
    requireSame(job, found.stat, stat);
    job.permit();
    // Before the bytes, because only the owner may: if it fails, nothing has been changed.
    const isOtherMode = job.mode !== undefined && Number(stat.mode & 0o777n) !== (job.mode & 0o777);
    if (isOtherMode) fchmodSync(number, job.mode! & 0o777);
    await overwrite(number, bytes, Number(stat.size));
    await flushFile(walk, number);
    return fstatSync(number, { bigint: true });
  } finally {
    closeSync(number);
  }
}

/** Writes the part beyond the old end first: if the disk is full, the old bytes are still whole. */
async function overwrite(descriptor: number, bytes: Uint8Array, oldSize: number): Promise<void> {
  try {
    if (bytes.byteLength > oldSize) await writeAll(descriptor, bytes.subarray(oldSize), { at: oldSize });
  } catch (error) {
    await ftruncateAsync(descriptor, oldSize);
    throw error;
  }
  await writeAll(descriptor, bytes.subarray(0, oldSize), { at: 0 });
  await ftruncateAsync(descriptor, bytes.byteLength);
}

const writeAsync = promisify(write);

/** Written at once: small enough to notice an abort soon. */
const writtenAtOnce = 8 * 1024 * 1024;

async function writeAll(
  descriptor: number,
  bytes: Uint8Array,
  { at, signal }: { at: number; signal?: AbortSignal },
): Promise<void> {
  for (let done = 0; done < bytes.byteLength; ) {
    signal?.throwIfAborted();
    const length = Math.min(writtenAtOnce, bytes.byteLength - done);
    const { bytesWritten } = await writeAsync(descriptor, bytes, done, length, at + done);
    if (bytesWritten === 0) throw new Error('the file system takes no more');
    done += bytesWritten;
  }
}

const copyFileAsync = promisify(copyFile);

const copiedAtOnce = 1024 * 1024;

interface Saving extends FoundPath {
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
    if (walk.lasting)
      for (const path of [destination, dirname(destination)]) await flush(path, constants.O_RDONLY);
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
    const buffer = Buffer.allocUnsafeSlow(copiedAtOnce);
    for (let offset = 0, filled = copiedAtOnce; filled === copiedAtOnce; offset += filled) {
      filled = await fill(source, buffer, offset);
      await writeAll(target, buffer.subarray(0, filled), { at: offset });
    }
  } finally {
    closeSync(target);
  }
}

async function flushFile({ lasting }: Walk, descriptor: number): Promise<void> {
  if (lasting) await fsyncAsync(descriptor);
}

export async function flushDirectory({ lasting }: Walk, directory: HeldDirectory, name = '.'): Promise<void> {
  if (!lasting) return;
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

const mostTries = 200;

/**
 * Removes a temporary file and makes sure of it. Where no descriptor holds the folder, it may be out of sight for a
 * moment because someone swaps it; a folder that does not come back takes the file with it.
 */
export async function discardTemporary(path: string, isGone: () => boolean): Promise<void> {
  for (let tries = 0; tries < mostTries; tries++) {
    try {
      rmSync(path, { force: true });
      if (isGone()) return;
    } catch (error) {
      if (!isToolError(error) && !isNodeError(error)) throw error;
    }
    await wait(1);
  }
}

/** True when an open file has no name left anywhere. */
function hasNoName(descriptor: number): boolean {
  return fstatSync(descriptor, { bigint: true }).nlink === 0n;
}

export function isAbsent({ access }: Walk, directory: HeldDirectory, name: string): boolean {
  access.confirm(directory);
  const absent = entryAt(directory, name) === null;
  access.confirm(directory);
  return absent;
}
