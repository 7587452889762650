import { createHash } from 'node:crypto';
import { accessSync, constants, readFileSync } from 'node:fs';
import { copyFile, open } from 'node:fs/promises';
import type { BytePath } from './byte-paths.js';
import type { TreeEntry } from './tree-entry.js';

const SMALL = 1 << 18;
const CHUNK = 1 << 20;

/** SHA-256 of a file of any size. Small ones are read at once: a trip through the thread pool costs more. */
export async function hashEntry({ at, size }: TreeEntry, signal: AbortSignal): Promise<string> {
  if (size <= SMALL) return createHash('sha256').update(readFileSync(at)).digest('hex');
  const digest = createHash('sha256');
  for await (const chunk of chunksOfFile(at)) {
    signal.throwIfAborted();
    digest.update(chunk);
  }
  return digest.digest('hex');
}

/** By pieces that are good until the next one. */
export async function* chunksOfFile(at: BytePath): AsyncIterable<Uint8Array> {
  const file = await open(at, 'r');
  try {
    const buffer = Buffer.allocUnsafe(CHUNK);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

export async function readWhole(at: BytePath): Promise<Uint8Array> {
  return readFileSync(at);
}

/** Shares the blocks where the file system can. */
export async function cloneFile(from: BytePath, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
}

export function canRead({ at }: TreeEntry): boolean {
  try {
    accessSync(at, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
