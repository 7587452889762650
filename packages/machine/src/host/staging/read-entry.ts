import { createHash } from 'node:crypto';
import { accessSync, closeSync, constants, read } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { openRegularFile, readRegularFile } from '../plain-files/regular-file.js';
import type { BytePath } from './byte-paths.js';
import type { TreeEntry } from './tree-entry.js';

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

/** By pieces that are good until the next one. */
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
export async function cloneFile(from: BytePath, to: string): Promise<void> {
  const { descriptor } = openRegularFile(from);
  try {
    // What was opened is copied, whatever stands at the path by now.
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
