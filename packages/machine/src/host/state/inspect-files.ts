import { createHash } from 'node:crypto';
import { constants, readdirSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/**
 * Looking at files before there is a workspace: settings, and what a folder brings along that nobody trusts yet.
 * Links are followed; nothing waits on a pipe or a device. The small questions are asked without a thread: there are
 * dozens of them before the first request, and each would wait longer for its thread than for its answer.
 */
export interface FoundFile {
  kind: 'file' | 'directory' | 'socket' | 'other';
  size: number;
  modifiedMs: number;
  /** The time of the latest change of anything, the time of modification included. */
  changedMs: number;
  /** The same for every path that leads to it. */
  identity: string;
}

export async function lookAt(path: string): Promise<FoundFile | null> {
  return lookAtSync(path);
}

export function lookAtSync(path: string): FoundFile | null {
  const found = orUndefined(() => statSync(path, { throwIfNoEntry: false }));
  if (!found) return null;
  const { size, mtimeMs, ctimeMs, dev, ino } = found;
  return { kind: kindOf(found), size, modifiedMs: mtimeMs, changedMs: ctimeMs, identity: `${dev}:${ino}` };
}

function kindOf(found: Stats): FoundFile['kind'] {
  if (found.isFile()) return 'file';
  if (found.isDirectory()) return 'directory';
  return found.isSocket() ? 'socket' : 'other';
}

/** The path after links; of what does not exist, the absolute path. */
export async function realPathOf(path: string): Promise<string> {
  return orUndefined(() => realpathSync.native(path)) ?? resolve(path);
}

/** The target of a link, which may be relative to its folder; null for anything else. */
export function linkAt(path: string): string | null {
  return orUndefined(() => readlinkSync(path)) ?? null;
}

/** The names in a folder in a stable order; none when it can't be read. */
export async function namesIn(folder: string): Promise<string[]> {
  return namesInSync(folder);
}

export function namesInSync(folder: string): string[] {
  return (orUndefined(() => readdirSync(folder)) ?? []).sort();
}

function orUndefined<Found>(look: () => Found): Found | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

/** SHA-256 of a file in hex, null when it can't be read or is longer than the limit. */
export async function hashOfFile(
  path: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<string | null> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null);
  if (!handle) return null;
  try {
    if (!(await handle.stat()).isFile()) return null;
    const hash = createHash('sha256');
    const buffer = Buffer.alloc(64 * 1024);
    for (let total = 0; total <= maxBytes; ) {
      signal.throwIfAborted();
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) return hash.digest('hex');
      total += bytesRead;
      hash.update(buffer.subarray(0, bytesRead));
    }
    return null;
  } finally {
    await handle.close();
  }
}

export interface FolderFile {
  name: string;
  path: string;
  size: number;
}

/** The regular files of a folder by name, links followed; none when there is no folder. */
export function filesIn(folder: string): FolderFile[] {
  return namesInSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const found = lookAtSync(path);
    return found?.kind === 'file' ? [{ name, path, size: found.size }] : [];
  });
}

/** Changes whenever one of the files changes or disappears. */
export function stampOfAll(paths: readonly string[]): string {
  return paths
    .map((path) => {
      const found = lookAtSync(path);
      return found ? `${found.identity} ${found.size} ${found.modifiedMs}` : 'gone';
    })
    .join();
}
