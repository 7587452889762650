import { createHash } from 'node:crypto';
import { open, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isNodeError, ToolError } from '../base/errors.js';
import type { Clock, Ids } from '../host/host.js';
import type { BlobSource } from './change-set.js';
import { EVICTING, type Eviction, evictOldest } from './objects/evict.js';
import { makePrivateFolder } from './objects/folder.js';
import { createPins } from './objects/pins.js';

/** Runs `work` while no other process runs work under the same name. */
export type WithLock = <Result>(
  name: string,
  work: () => Promise<Result>,
  signal: AbortSignal,
) => Promise<Result>;

type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

export interface BeforeImagesOptions {
  /** `objects/` in the state folder. */
  directory: string;
  /** Whose images these are: the session's id. They stay while its process lives. */
  owner: string;
  quotaBytes: number;
  ids: Pick<Ids, 'next'>;
  clock: Pick<Clock, 'now'>;
  withLock: WithLock;
}

export interface BeforeImages extends BlobSource {
  /** Whether the image is here and unchanged; a changed one is removed. It is pinned first, so that a yes stays true. */
  has(hash: string): Promise<boolean>;
  /** Keeps these bytes. */
  save(hash: string, chunks: Chunks): Promise<void>;
  /** The name under which a file about to be replaced can be linked instead of copied. */
  linkName(hash: string): Promise<string>;
  /** Only files of this device can be linked. */
  device(): Promise<bigint>;
  /** Makes an image that is still the very file it was taken from a copy of its own. */
  unshare(hash: string): Promise<void>;
  /** Protects images that an earlier process of this session made. */
  pin(hashes: Iterable<string>): Promise<void>;
  /** Removes what processes that died left unfinished. */
  sweep(): Promise<void>;
  /** Removes the oldest images above the quota; never one a living process pinned, nor one in `pinned`. */
  evict(signal: AbortSignal, pinned?: Iterable<string>): Promise<Eviction>;
  /** The owner's images may be evicted from here on. */
  close(): Promise<void>;
}

const CHUNK = 1 << 20;

/**
 * Earlier contents of files by hash. An image may be a hard link to the very file that was replaced; whoever
 * still has that file open can change it, so every image is hashed again when it is read.
 */
export function createBeforeImages(options: BeforeImagesOptions): BeforeImages {
  const { directory, ids, quotaBytes } = options;
  const pins = createPins(join(directory, 'pins'), options.owner);
  const nameOf = (hash: string) => imageName(directory, hash);

  async function has(hash: string): Promise<boolean> {
    await pins.add([hash]);
    const found = await hashFile(nameOf(hash));
    if (found === hash) await touch(nameOf(hash));
    else if (found !== null) await moveBrokenAway(hash);
    return found === hash;
  }

  /** Looks once more at what it took away: another process may have put a good one there meanwhile. */
  async function moveBrokenAway(hash: string): Promise<void> {
    const aside = join(await pins.scratch(), ids.next());
    await rename(nameOf(hash), aside).catch(ignoreMissing);
    if ((await hashFile(aside)) === hash) await rename(aside, nameOf(hash));
    else await rm(aside, { force: true });
  }

  async function put(hash: string, chunks: Chunks): Promise<void> {
    await makePrivateFolder(dirname(nameOf(hash)));
    const temporary = join(await pins.scratch(), ids.next());
    try {
      await writeImage(temporary, hash, chunks);
      await rename(temporary, nameOf(hash));
    } finally {
      await rm(temporary, { force: true });
    }
  }

  return {
    has,
    pin: (hashes) => pins.add(hashes),
    close: () => pins.close(),
    async read(hash) {
      await refuseHuge(nameOf(hash));
      const bytes = await readImage(nameOf(hash));
      if (bytes === null) throw gone(hash, 'is not in the store any more');
      if (sha256(bytes) !== hash) throw gone(hash, 'was changed by another program that had the file open');
      return bytes;
    },
    async save(hash, chunks) {
      if (!(await has(hash))) await put(hash, chunks);
    },
    async linkName(hash) {
      await makePrivateFolder(dirname(nameOf(hash)));
      return nameOf(hash);
    },
    async device() {
      await makePrivateFolder(directory);
      return (await stat(directory, { bigint: true })).dev;
    },
    async unshare(hash) {
      const info = await stat(nameOf(hash)).catch(() => null);
      if (info === null || info.nlink === 1) return;
      const bytes = await readImage(nameOf(hash));
      if (bytes !== null && sha256(bytes) === hash) await put(hash, [bytes]);
      else await rm(nameOf(hash), { force: true });
    },
    async sweep() {
      await pins.live(options.clock.now());
    },
    evict: (signal, pinned = []) =>
      options.withLock(
        'objects',
        () =>
          evictOldest({
            directory,
            quotaBytes,
            pinned: async () => new Set([...pinned, ...(await pins.live(options.clock.now()))]),
          }),
        signal,
      ),
  };
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function imageName(directory: string, hash: string): string {
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new Error(`not a content hash: ${hash}`);
  return join(directory, hash.slice(0, 2), hash);
}

function gone(hash: string, why: string): ToolError {
  return new ToolError(
    'not_found',
    `The earlier version of the file (${hash.slice(0, 12)}) ${why}; it can't be brought back from here.`,
  );
}

async function writeImage(path: string, hash: string, chunks: Chunks): Promise<void> {
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

async function readImage(path: string): Promise<Uint8Array | null> {
  const file = await openImage(path);
  if (file === null) return null;
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Node reads no more than 2 GiB at once. */
const MOST_BYTES = 2 ** 31 - 1;

async function refuseHuge(path: string): Promise<void> {
  const info = await stat(path).catch(() => null);
  if (info === null || info.size <= MOST_BYTES) return;
  throw new ToolError(
    'too_large',
    `The earlier version is larger than 2 GiB. It is kept at ${path}; copy it from there.`,
  );
}

/** An image that an eviction has set aside for the moment is still an image. */
async function openImage(path: string) {
  for (const name of [path, path + EVICTING, path]) {
    try {
      return await open(name, 'r');
    } catch (error) {
      if (!isNodeError(error, 'ENOENT')) throw error;
    }
  }
  return null;
}

async function hashFile(path: string): Promise<string | null> {
  try {
    const file = await open(path, 'r');
    try {
      const digest = createHash('sha256');
      const chunk = Buffer.allocUnsafe(CHUNK);
      for (let read = 1; read > 0; ) {
        read = (await file.read(chunk, 0, CHUNK)).bytesRead;
        digest.update(chunk.subarray(0, read));
      }
      return digest.digest('hex');
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isNodeError(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Young again for the eviction; not while the file it was taken from is still in place, whose times are not ours. */
async function touch(path: string): Promise<void> {
  const info = await stat(path).catch(() => null);
  if (info?.nlink === 1) await utimes(path, info.atime, info.mtime).catch(() => undefined);
}

function ignoreMissing(error: unknown): void {
  if (!isNodeError(error, 'ENOENT')) throw error;
}
