import { createHash } from 'node:crypto';
import {
  accessSync,
  type BigIntStats,
  closeSync,
  constants,
  lstatSync,
  read,
  readdirSync,
  readlinkSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { isNodeError, ToolError } from '../../base/errors.js';
import { openRegularFile, readRegularFile } from '../plain-files/regular-file.js';

export type EntryKind = 'file' | 'directory' | 'symlink' | 'pipe' | 'socket' | 'device';

/** An entry of a tree, links not followed. */
export interface TreeEntry {
  kind: EntryKind;
  /** Path to read it from, while the tree it was found in is there. */
  at: BytePath;
  /** Permission bits with those for setuid, setgid and sticky. */
  mode: number;
  size: number;
  inode: bigint;
  mtimeNs: bigint;
  ctimeNs: bigint;
  /** The target of a link; null when it is not UTF-8. */
  target?: string | null;
}

/** A path at which two trees differ. */
export interface Difference {
  /** Absolute, as in the workspace. */
  path: string;
  before: TreeEntry | null;
  after: TreeEntry | null;
}

export interface TreeDifferences {
  differences: Difference[];
  /** Places that can't be part of a change: names that are not UTF-8, folders that may not be read. */
  unusable: { path: string; why: string }[];
}

export function entryAt(at: BytePath): TreeEntry | null {
  const stat = statusOf(at);
  if (!stat) return null;
  const kind = kindOf(stat);
  return {
    kind,
    at,
    mode: Number(stat.mode & 0o7777n),
    size: Number(stat.size),
    inode: stat.ino,
    mtimeNs: stat.mtimeNs,
    ctimeNs: stat.ctimeNs,
    target: kind === 'symlink' ? targetOf(at) : undefined,
  };
}

function statusOf(at: BytePath): BigIntStats | undefined {
  try {
    return lstatSync(at, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    throw unlessTooDeep(error);
  }
}

/** An unreadable entry must not pass for a missing one. */
function unlessTooDeep(error: unknown): unknown {
  if (!isNodeError(error, 'ENAMETOOLONG')) return error;
  return new ToolError('failed', "Some folders are so deep that what is in them can't be looked at.");
}

/** Null where it is no text, or where it may not be read: links of the kernel may lead to what is another's. */
function targetOf(link: BytePath): string | null {
  try {
    return asText(readlinkSync(link, 'buffer'));
  } catch {
    return null;
  }
}

function kindOf(stat: BigIntStats): EntryKind {
  if (stat.isFile()) return 'file';
  if (stat.isDirectory()) return 'directory';
  if (stat.isSymbolicLink()) return 'symlink';
  if (stat.isFIFO()) return 'pipe';
  return stat.isSocket() ? 'socket' : 'device';
}

/** Names by their bytes in Latin-1, which keeps every byte apart; null where the folder may not be read. */
export function namesAt(folder: BytePath): Map<string, BytePath> | null {
  try {
    return new Map(readdirSync(folder, 'buffer').map((name) => [name.toString('latin1'), name]));
  } catch (error) {
    if (isNodeError(error, 'ENOENT', 'ENOTDIR')) return new Map();
    if (isNodeError(error, 'EACCES', 'EPERM')) return null;
    throw unlessTooDeep(error);
  }
}

/** Lets others have a turn every so often, and ends a walk that nobody waits for or that is too long. */
export function createPace(signal: AbortSignal, most: number, onTooMany: () => Error): () => Promise<void> {
  let seen = 0;
  return async () => {
    seen += 1;
    if (seen > most) throw onTooMany();
    if (seen % 500 !== 0) return;
    signal.throwIfAborted();
    await new Promise((resolve) => setImmediate(resolve));
  };
}

/** File names are bytes: one that is not UTF-8 must be found again by the very bytes it was listed with. */
export type BytePath = Buffer;

const SLASH = Buffer.from('/');

export function bytePath(path: string): BytePath {
  return Buffer.from(path);
}

export function inside(folder: BytePath, name: BytePath): BytePath {
  return Buffer.concat([folder, SLASH, name]);
}

/** Null when the name is not UTF-8. */
export function asText(name: BytePath): string | null {
  const text = name.toString();
  return !text.includes('\ufffd') || Buffer.from(text).equals(name) ? text : null;
}

/** A name as people can read it, with `\xff` for bytes that are not UTF-8. */
export function readable(name: BytePath): string {
  return (
    asText(name) ??
    name
      .toString('latin1')
      .replace(/[^\x20-\x7e]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)
  );
}

const readAsync = promisify(read);
const SMALL = 1 << 18;
const CHUNK = 1 << 20;

/** SHA-256 of a file of any size. Small ones are read at once: a trip through the thread pool costs more. */
export async function hashEntry({ at, size }: TreeEntry, signal: AbortSignal): Promise<string> {
  if (size <= SMALL) return createHash('sha256').update(readRegularFile(at)).digest('hex');
  const digest = createHash('sha256');
  for await (const chunk of chunksOfFile(at)) {
    signal.throwIfAborted();
    digest.update(chunk);
  }
  return digest.digest('hex');
}

/** Reads a file piece by piece; each piece is valid until the next one is read. */
export async function* chunksOfFile(at: BytePath): AsyncIterable<Uint8Array> {
  const { descriptor } = openRegularFile(at);
  try {
    const buffer = Buffer.allocUnsafe(CHUNK);
    for (;;) {
      const { bytesRead } = await readAsync(descriptor, buffer, 0, CHUNK, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    closeSync(descriptor);
  }
}

export async function readWhole(at: BytePath): Promise<Uint8Array> {
  return readRegularFile(at);
}

/** Shares the blocks where the file system can. */
export async function cloneFile(from: BytePath, to: BytePath | string): Promise<void> {
  const { descriptor } = openRegularFile(from);
  try {
    // The copy is made of the open file, even if another stands at the path by now.
    const source = process.platform === 'linux' ? `/proc/self/fd/${descriptor}` : from;
    await copyFile(source, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  } finally {
    closeSync(descriptor);
  }
}

export function canRead({ at }: TreeEntry): boolean {
  try {
    accessSync(at, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
