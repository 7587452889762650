import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  fsync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isNodeError, ToolError } from '../../base/errors.js';

export type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

const CHUNK = 1 << 20;
/** Images up to this size are read at once: a commit of thousands of files would spend its time on trips through the thread pool. */
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

/** A lasting image is flushed once it returns. */
async function writeImage(
  path: string,
  { hash, lasting = true }: Pick<ImagePlace, 'hash' | 'lasting'>,
  chunks: Chunks,
): Promise<void> {
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
    if (lasting) await file.sync();
  } finally {
    await file.close();
  }
}

export interface ImagePlace {
  path: string;
  temporary: string;
  hash: string;
  /** False where it need not survive a power cut. Default: true. */
  lasting?: boolean | undefined;
}

/** Puts an image in its place whole, over a torn one that a kill left there; `temporary` is a name of the caller's own. */
export async function placeImage(image: ImagePlace, chunks: Chunks): Promise<void> {
  const { path, temporary } = image;
  try {
    await writeImage(temporary, image, chunks);
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Null when there is none. */
export async function readImage(path: string): Promise<Uint8Array | null> {
  const small = readSmall(path);
  if (small !== null) return small;
  // An image that an eviction has set aside for the moment still counts.
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
    // An extra byte shows whether the file grew meanwhile.
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

/**
 * Synchronous but for flushing: each of these takes microseconds, and several happen in every commit, where a
 * trip through the thread pool costs many times as much.
 */
const fsyncAsync = promisify(fsync);

/** Makes a folder that only its owner may enter: earlier versions of files may hold secrets. */
export async function makePrivateFolder(path: string): Promise<void> {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** Sorted; none when there is no such folder. */
export async function namesIn(path: string): Promise<string[]> {
  try {
    return readdirSync(path).sort();
  } catch (error) {
    if (isNodeError(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}

/** Names made or removed in the folder survive a power cut once this returns. */
export async function syncFolder(path: string): Promise<void> {
  await syncAndClose(openSync(path, 'r'));
}

async function syncAndClose(descriptor: number): Promise<void> {
  try {
    await fsyncAsync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Adds a line; on the disk once this returns. */
export async function addLine(path: string, line: string): Promise<void> {
  const descriptor = openSync(path, 'a', 0o600);
  try {
    writeFileSync(descriptor, `${line}\n`);
    await fsyncAsync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes a file of one line, which must not be there yet: safe from the death of this process, not yet from a power cut. */
export async function startFile(path: string, line: string): Promise<void> {
  writeFileSync(path, `${line}\n`, { flag: 'wx', mode: 0o600 });
}

/** The content of a file survives a power cut once this returns. */
export async function syncFile(path: string): Promise<void> {
  await syncAndClose(openSync(path, 'r+'));
}

export async function readText(path: string): Promise<string> {
  return readFileSync(path, 'utf8');
}

export async function removeFile(path: string): Promise<void> {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!isNodeError(error, 'ENOENT')) throw error;
  }
}

export interface Eviction {
  removed: number;
  removedBytes: number;
  /** Bytes left, pinned images above the quota included. */
  keptBytes: number;
}

interface EvictionOptions {
  directory: string;
  quotaBytes: number;
  /** Gives the pinned images. It is called twice: before the choice, and again once the chosen are out of reach. */
  pinned(): Promise<ReadonlySet<string>>;
}

interface Image {
  hash: string;
  path: string;
  size: number;
  /** Change time: linking and renaming set it, while the modification time is still the replaced file's. */
  since: number;
}

const EVICTING = '.evicting';

/**
 * Safe beside processes that save at the same moment: those pin first and look afterwards, this moves away
 * first and reads the pins afterwards, so one of the two always notices the other.
 */
export async function evictOldest(options: EvictionOptions): Promise<Eviction> {
  const images = await listImages(options.directory);
  let bytes = images.reduce((sum, image) => sum + image.size, 0);
  const eviction: Eviction = { removed: 0, removedBytes: 0, keptBytes: bytes };
  if (bytes <= options.quotaBytes) return eviction;

  const pinnedBefore = await options.pinned();
  const chosen: Image[] = [];
  for (const image of images.sort((left, right) => left.since - right.since)) {
    if (bytes <= options.quotaBytes) break;
    if (pinnedBefore.has(image.hash) || !(await moved(image.path, image.path + EVICTING))) continue;
    chosen.push(image);
    bytes -= image.size;
  }
  const pinnedAfter = await options.pinned();
  for (const image of chosen) {
    if (pinnedAfter.has(image.hash)) {
      await moved(image.path + EVICTING, image.path);
      continue;
    }
    await rm(image.path + EVICTING, { force: true });
    eviction.removed++;
    eviction.removedBytes += image.size;
  }
  eviction.keptBytes -= eviction.removedBytes;
  return eviction;
}

async function moved(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (isNodeError(error, 'ENOENT')) return false;
    throw error;
  }
}

async function listImages(directory: string): Promise<Image[]> {
  const images: Image[] = [];
  for (const folder of await namesIn(directory)) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue;
    for (const name of await namesIn(join(directory, folder))) {
      const image = await imageAt(join(directory, folder, name), name);
      if (image) images.push(image);
    }
  }
  return images;
}

async function imageAt(path: string, name: string): Promise<Image | null> {
  const info = await stat(path).catch(() => null);
  if (info === null) return null;
  if (!name.endsWith(EVICTING)) return { hash: name, path, size: info.size, since: info.ctimeMs };
  // Left by an eviction that was killed half-way, before it could know whether the image was needed.
  const home = path.slice(0, -EVICTING.length);
  if (!(await moved(path, home))) return null;
  return { hash: name.slice(0, -EVICTING.length), path: home, size: info.size, since: info.ctimeMs };
}
