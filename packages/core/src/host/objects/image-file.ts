import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, open, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { isNodeError, ToolError } from '../../base/errors.js';
import { EVICTING } from './evict.js';

export type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

const CHUNK = 1 << 20;
/** Node reads no more at once. */
const MOST_BYTES = 2 ** 31 - 1;

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function imageName(directory: string, hash: string): string {
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new Error(`not a content hash: ${hash}`);
  return join(directory, hash.slice(0, 2), hash);
}

/** Flushed once it returns. */
export async function writeImage(path: string, hash: string, chunks: Chunks): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    const digest = createHash('sha256');
    for await (const chunk of chunks) {
      digest.update(chunk);
      await file.writeFile(chunk);
    }
    if (digest.digest('hex') !== hash) {
      throw new ToolError(
        'conflict',
        'The file changed while its present version was being kept. Try again.',
      );
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Null when there is none. */
export async function readImage(path: string): Promise<Uint8Array | null> {
  // One that an eviction has set aside for the moment is still an image.
  const file = (await openAt(path)) ?? (await openAt(path + EVICTING)) ?? (await openAt(path));
  if (file === null) return null;
  try {
    if ((await file.stat()).size <= MOST_BYTES) return await file.readFile();
    throw new ToolError(
      'too_large',
      `The earlier version is larger than 2 GiB. It is kept at ${path}; copy it from there.`,
    );
  } finally {
    await file.close();
  }
}

/** Hash of the file, or null when there is none. Asked in every commit, mostly of what is not there yet. */
export async function hashAt(path: string): Promise<string | null> {
  if (!existsSync(path)) return null;
  const file = await openAt(path);
  if (file === null) return null;
  const digest = createHash('sha256');
  for await (const chunk of chunksOf(file)) digest.update(chunk);
  return digest.digest('hex');
}

export async function* chunksAt(path: string): AsyncIterable<Uint8Array> {
  yield* chunksOf(await open(path, 'r'));
}

async function* chunksOf(file: FileHandle): AsyncIterable<Uint8Array> {
  try {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK, (await file.stat()).size + 1));
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function openAt(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (isNodeError(error, 'ENOENT')) return null;
    throw error;
  }
}

/** For the eviction; not while the file it was taken from is still in place, whose times are not ours. */
export async function makeYoung(path: string): Promise<void> {
  const info = await stat(path).catch(() => null);
  if (info?.nlink === 1) await utimes(path, info.atime, info.mtime).catch(() => undefined);
}
