import { createHash } from 'node:crypto';
import {
  accessSync,
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstat,
  lstatSync,
  opendirSync,
  openSync,
  type PathLike,
  readSync,
  statSync,
} from 'node:fs';
import { isNodeError, orNull } from '../../base/errors.js';
import { here } from './place.js';

/**
 * Opens a file that may be anything, such as one a repository brought along. Opening a named pipe or a terminal would
 * block the whole program, and no signal would be noticed: so the path is checked, opened without waiting, and checked
 * again.
 */
export function openRegularFile(
  path: PathLike,
  { followsLinks = true } = {},
): { descriptor: number; size: number } {
  if (!(followsLinks ? statSync : lstatSync)(path).isFile()) throw notRegular(path);
  const noFollow = followsLinks ? 0 : (constants.O_NOFOLLOW ?? 0);
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0) | noFollow;
  const descriptor = openSync(path, flags);
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw notRegular(path);
    return { descriptor, size: found.size };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** Reads as many bytes as the file claims to have: a kernel file claims none, and would never end. */
export function readRegularFile(
  path: PathLike,
  mostBytes = Number.POSITIVE_INFINITY,
  options?: { followsLinks?: boolean },
): Buffer {
  const { descriptor, size } = openRegularFile(path, options);
  try {
    if (size > mostBytes) throw new Error(`${path} is larger than ${mostBytes} bytes`);
    const bytes = Buffer.allocUnsafe(size);
    let length = 0;
    while (length < size) {
      const read = readSync(descriptor, bytes, length, size - length, null);
      if (read === 0) break;
      length += read;
    }
    return length === size ? bytes : bytes.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}

/** Null when there is no such file; throws when it is not a regular file or can't be read. */
export function readRegularFileIfThere(path: PathLike, mostBytes?: number): Buffer | null {
  try {
    return readRegularFile(path, mostBytes);
  } catch (error) {
    if (isNodeError(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
}

function notRegular(path: PathLike): Error {
  return new Error(`${path} is not a regular file`);
}

/** Recognises files under another name: after a rename, by a hard link, or as a copy made since. */
export interface RememberedFiles {
  readonly isEmpty: boolean;
  /** Remembers a file as it is now; skips what is not a regular file or can't be read. */
  remember(path: string): void;
  /** The path of the remembered file that this one is, or is a copy of; null if it is neither. */
  originalOf(path: string): string | null;
}

/** Bytes compared at each end of a large file: thousands of files may be remembered before a command starts. */
const EDGE_BYTES = 64 * 1024;
const MOST_FILES = 20_000;
/** A file's time may be a little behind the clock. */
const BEHIND_MS = 1_000;

/** A file that existed before `since` is no copy, whatever it holds: many files are alike. */
export function rememberFiles(since: number, place = here): RememberedFiles {
  const byIdentity = new Map<string, string>();
  const byContent = new Map<string, string>();
  const sizes = new Set<bigint>();
  const seen = new Set<string>();
  const originalOf = (path: string): string | null => {
    if (byIdentity.size === 0) return null;
    const stat = fileAt(place.at(path));
    if (stat === null) return null;
    const same = byIdentity.get(identity(stat));
    if (same !== undefined) return same;
    const isNew = Number(stat.ctimeNs / 1_000_000n) >= since - BEHIND_MS;
    if (!isNew || !sizes.has(stat.size)) return null;
    return byContent.get(contentOf(place.at(path), stat.size) ?? '') ?? null;
  };
  return {
    get isEmpty() {
      return byIdentity.size === 0;
    },
    remember(path) {
      const stat = fileAt(place.at(path));
      if (stat === null || seen.size >= MOST_FILES) return;
      const version = `${identity(stat)}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`;
      if (seen.has(version)) return;
      // A copy of a copy has the first one as its original.
      const original = originalOf(path) ?? path;
      seen.add(version);
      byIdentity.set(identity(stat), original);
      const content = stat.size === 0n ? null : contentOf(place.at(path), stat.size);
      if (content === null || byContent.has(content)) return;
      sizes.add(stat.size);
      byContent.set(content, original);
    },
    originalOf,
  };
}

function fileAt(path: string): BigIntStats | null {
  const stat = orNull(() => lstatSync(path, { bigint: true }));
  return stat?.isFile() ? stat : null;
}

/** Includes the creation time, because the inode number of a removed file is reused. */
function identity({ dev, ino, birthtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${birthtimeNs}`;
}

/** Hash of a short file; of a longer one, of its length, beginning and end. */
function contentOf(path: string, size: bigint): string | null {
  const opened = orNull(() => openRegularFile(path));
  if (opened === null) return null;
  try {
    const hash = createHash('sha256');
    const length = Number(size);
    const starts = length <= 2 * EDGE_BYTES ? [0] : [0, length - EDGE_BYTES];
    const buffer = Buffer.allocUnsafe(starts.length === 1 ? length : EDGE_BYTES);
    for (const start of starts)
      hash.update(buffer.subarray(0, readSync(opened.descriptor, buffer, 0, buffer.length, start)));
    return `${size}:${hash.digest('hex')}`;
  } catch {
    return null;
  } finally {
    closeSync(opened.descriptor);
  }
}

/** The names in a folder, none if there is no such folder; null when there are more than `most`. */
export function entriesOf(
  folder: string,
  most: number,
): { name: string; kind: 'link' | 'folder' | 'other' }[] | null {
  try {
    const opened = opendirSync(folder);
    try {
      const found: NonNullable<ReturnType<typeof entriesOf>> = [];
      for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
        if (found.length >= most) return null;
        const kind = entry.isSymbolicLink() ? 'link' : entry.isDirectory() ? 'folder' : 'other';
        found.push({ name: entry.name, kind });
      }
      return found;
    } finally {
      opened.closeSync();
    }
  } catch (error) {
    if (isNodeError(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG')) return [];
    throw error;
  }
}

const AT_ONCE = 64;

/**
 * The time each file was last changed, in milliseconds; 0 for a missing one. Reads thousands of times at once, so it
 * does not go through `host/files`, which walks to each file by descriptor.
 */
export async function modifiedTimes(paths: readonly string[], signal: AbortSignal): Promise<Float64Array> {
  const times = new Float64Array(paths.length);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < paths.length) {
      signal.throwIfAborted();
      const index = next++;
      times[index] = await modifiedTime(paths[index]!);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return times;
}

function modifiedTime(path: string): Promise<number> {
  return new Promise((resolve) => {
    lstat(path, (error, stat) => resolve(error ? 0 : stat.mtimeMs));
  });
}

/** Asks the system whether this user may access the path; `mode` as in `fs.constants`. */
export function mayAccess(path: string, mode: number): boolean {
  try {
    // Only throwing counts: the returned value is null on Bun.
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
