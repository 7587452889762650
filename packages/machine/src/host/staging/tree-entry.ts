import { type BigIntStats, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { isNodeError, ToolError } from '../../base/errors.js';
import { asText, type BytePath } from './byte-paths.js';

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

/** One place that two trees do not agree on. */
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
    ...(kind === 'symlink' ? { target: targetOf(at) } : {}),
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
  return new ToolError('failed', 'There are folders so deep that what is in them can not be looked at.');
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
