import { createHash } from 'node:crypto';
import { closeSync, existsSync, fstatSync, openSync, readSync, statSync, utimesSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { isNodeError, ToolError } from '../../base/errors.js';
import { EVICTING } from './evict.js';

export type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

const CHUNK = 1 << 20;
/** Read at once: a commit of thousands of files would spend its time on trips through the thread pool. */
const SMALL = 1 << 20;
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
  const small = readSmall(path);
  if (small !== null) return small;
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
  const small = readSmall(path);
  if (small !== null) return sha256(small);
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

/** Null when it is large, or not there. */
function readSmall(path: string): Buffer | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    if (isNodeError(error, 'ENOENT')) return null;
    throw error;
  }
  try {
    const { size } = fstatSync(descriptor);
    if (size > SMALL) return null;
    // One byte more, to see whether it grew meanwhile.
    const buffer = Buffer.allocUnsafe(size + 1);
    const length = readSync(descriptor, buffer, 0, buffer.length, 0);
    return length > size ? null : buffer.subarray(0, length);
  } finally {
    closeSync(descriptor);
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
  try {
    const info = statSync(path);
    if (info.nlink === 1) utimesSync(path, info.atime, info.mtime);
  } catch {
    // Gone, or not ours: it is evicted when its turn comes.
  }
}
