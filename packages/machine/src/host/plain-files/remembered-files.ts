import { createHash } from 'node:crypto';
import { type BigIntStats, closeSync, lstatSync, readSync } from 'node:fs';
import { orNull } from '../../base/errors.js';
import { openRegularFile } from './regular-file.js';

/** Recognises files under another name: after a rename, by a hard link, or as a copy made since. */
export interface RememberedFiles {
  readonly isEmpty: boolean;
  /** Remembers a file as it is now; skips what is no regular file or can't be read. */
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
export function rememberFiles(since: number): RememberedFiles {
  const byIdentity = new Map<string, string>();
  const byContent = new Map<string, string>();
  const sizes = new Set<bigint>();
  const seen = new Set<string>();
  const originalOf = (path: string): string | null => {
    if (byIdentity.size === 0) return null;
    const stat = fileAt(path);
    if (stat === null) return null;
    const same = byIdentity.get(identity(stat));
    if (same !== undefined) return same;
    const isNew = Number(stat.ctimeNs / 1_000_000n) >= since - BEHIND_MS;
    if (!isNew || !sizes.has(stat.size)) return null;
    return byContent.get(contentOf(path, stat.size) ?? '') ?? null;
  };
  return {
    get isEmpty() {
      return byIdentity.size === 0;
    },
    remember(path) {
      const stat = fileAt(path);
      if (stat === null || seen.size >= MOST_FILES) return;
      const version = `${identity(stat)}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`;
      if (seen.has(version)) return;
      // A copy of a copy has the first one as its original.
      const original = originalOf(path) ?? path;
      seen.add(version);
      byIdentity.set(identity(stat), original);
      const content = stat.size === 0n ? null : contentOf(path, stat.size);
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
