import { randomUUID } from 'node:crypto';
import { closeSync, constants, openSync, statSync, writeFileSync } from 'node:fs';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isNodeError, ToolError } from '../../base/errors.js';
import type { Clock, Ids } from '../host.js';
import { isAbandoned, type Lease, lifeOf, ownLease, readLease } from '../leases/lease.js';
import {
  type Chunks,
  chunksAt,
  type Eviction,
  evictOldest,
  hashAt,
  imageName,
  makePrivateFolder,
  makeYoung,
  namesIn,
  placeImage,
  readImage,
  sha256,
} from './image-file.js';

/** Gives the bytes of versions by their hash. */
export interface BlobSource {
  read(hash: string): Promise<Uint8Array>;
}

/** Runs `work` while no other process runs work under the same name. */
export type WithLock = <Result>(
  name: string,
  work: () => Promise<Result>,
  signal: AbortSignal,
) => Promise<Result>;

interface BeforeImagesOptions {
  /** `objects/` in the state folder. */
  directory: string;
  /** The id of the session that needs these images. They stay while its process lives. */
  owner: string;
  quotaBytes: number;
  ids: Pick<Ids, 'next'>;
  clock: Pick<Clock, 'now'>;
  withLock: WithLock;
  /** False where images need not survive a power cut. Default: true. */
  lasting?: boolean;
}

export interface BeforeImages extends BlobSource {
  /** True when the image is here and unchanged; a changed one is removed. It is pinned first, so that a yes stays true. */
  has(hash: string): Promise<boolean>;
  /** Keeps these bytes. */
  save(hash: string, chunks: Chunks): Promise<void>;
  /** The name under which a file about to be replaced can be linked instead of copied. */
  linkName(hash: string): Promise<string>;
  /** The device of the store: only its files can be linked. */
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

/**
 * Earlier contents of files by hash. An image may be a hard link to the very file that was replaced; whoever
 * still has that file open can change it, so every image is hashed again when it is read.
 */
export function createBeforeImages(options: BeforeImagesOptions): BeforeImages {
  const { directory, ids, quotaBytes, clock } = options;
  const pins = createPins(join(directory, 'pins'), options.owner);
  const store: Store = {
    nameOf: (hash) => imageName(directory, hash),
    aside: async () => join(await pins.scratch(), ids.next()),
    lasting: options.lasting,
  };

  async function has(hash: string): Promise<boolean> {
    await pins.add([hash]);
    const found = await hashAt(store.nameOf(hash));
    if (found === hash) await makeYoung(store.nameOf(hash));
    else if (found !== null) await removeBroken(store, hash);
    return found === hash;
  }

  return {
    has,
    pin: (hashes) => pins.add(hashes),
    close: () => pins.close(),
    read: (hash) => readWhole(store, hash),
    async save(hash, chunks) {
      if (!(await has(hash))) await put(store, hash, chunks);
    },
    async linkName(hash) {
      await makePrivateFolder(dirname(store.nameOf(hash)));
      return store.nameOf(hash);
    },
    async device() {
      await makePrivateFolder(directory);
      return statSync(directory, { bigint: true }).dev;
    },
    async unshare(hash) {
      const path = store.nameOf(hash);
      const info = await stat(path).catch(() => null);
      if (info === null || info.nlink === 1) return;
      if ((await hashAt(path)) === hash) await put(store, hash, chunksAt(path));
      else await rm(path, { force: true });
    },
    async sweep() {
      await pins.live(clock.now());
    },
    evict(signal, pinned = []) {
      const allPinned = async () => new Set([...pinned, ...(await pins.live(clock.now()))]);
      const evict = () => evictOldest({ directory, quotaBytes, pinned: allPinned });
      return options.withLock('objects', evict, signal);
    },
  };
}

interface Store {
  nameOf(hash: string): string;
  /** A fresh name for something unfinished. */
  aside(): Promise<string>;
  lasting: boolean | undefined;
}

async function put({ nameOf, aside, lasting }: Store, hash: string, chunks: Chunks): Promise<void> {
  await makePrivateFolder(dirname(nameOf(hash)));
  await placeImage({ path: nameOf(hash), temporary: await aside(), hash, lasting }, chunks);
}

/** Looks once more at what it took away: another process may have put a good one there meanwhile. */
async function removeBroken({ nameOf, aside }: Store, hash: string): Promise<void> {
  const taken = await aside();
  await rename(nameOf(hash), taken).catch(ignoreMissing);
  if ((await hashAt(taken)) === hash) await rename(taken, nameOf(hash));
  else await rm(taken, { force: true });
}

async function readWhole({ nameOf }: Store, hash: string): Promise<Uint8Array> {
  const bytes = await readImage(nameOf(hash));
  if (bytes === null) throw gone(hash, 'is no longer in the store');
  if (sha256(bytes) !== hash) throw gone(hash, 'was changed by another program that had the file open');
  return bytes;
}

function gone(hash: string, why: string): ToolError {
  return new ToolError(
    'not_found',
    `The earlier version of the file (${hash.slice(0, 12)}) ${why}; it can't be brought back from here.`,
  );
}

function ignoreMissing(error: unknown): void {
  if (!isNodeError(error, 'ENOENT')) throw error;
}

interface Pins {
  /** Written before it returns, so that an eviction that looks afterwards sees it. */
  add(hashes: Iterable<string>): Promise<void>;
  /** A folder for unfinished copies, removed when the process is found dead. */
  scratch(): Promise<string>;
  /** Every hash pinned by a living process; what dead ones left is removed on the way. */
  live(now: number): Promise<Set<string>>;
  close(): Promise<void>;
}

const SCRATCH = '.scratch';
const HASH = /^[0-9a-f]{64}$/;

/**
 * Keeps a file per owner and process: the process in the first line, then the hashes it needs. The file is only ever appended to, so
 * readers in other processes see whole lines.
 */
function createPins(directory: string, owner: string): Pins {
  const known = new Set<string>();
  let file: Promise<string> | undefined;

  async function begin(): Promise<string> {
    await makePrivateFolder(directory);
    const path = join(directory, `${owner}.${randomUUID()}`);
    const mark = { v: 1, ...(await ownLease()) };
    await writeFile(path, `${JSON.stringify(mark)}\n`, { mode: 0o600 });
    return path;
  }

  function begun(): Promise<string> {
    return (file ??= begin().catch((error: unknown) => {
      file = undefined;
      throw error;
    }));
  }

  return {
    async add(hashes) {
      const added = [...new Set(hashes)].filter((hash) => !known.has(hash));
      if (added.length === 0) return;
      try {
        await append(await begun(), added);
      } catch (error) {
        // Someone cleared the folder away: what is needed is pinned anew.
        if (!isNodeError(error, 'ENOENT')) throw error;
        file = undefined;
        await append(await begun(), [...known, ...added]);
      }
      for (const hash of added) known.add(hash);
    },
    async scratch() {
      const folder = (await begun()) + SCRATCH;
      await makePrivateFolder(folder);
      return folder;
    },
    live: (now) => livePins(directory, now),
    async close() {
      if (file) await removePins(await file);
      file = undefined;
      known.clear();
    },
  };
}

/** Appends to a file that exists, and never makes it: without its first line it would pin nothing. */
async function append(path: string, hashes: readonly string[]): Promise<void> {
  const descriptor = openSync(path, constants.O_WRONLY | constants.O_APPEND);
  try {
    writeFileSync(descriptor, hashes.map((hash) => `${hash}\n`).join(''));
  } finally {
    closeSync(descriptor);
  }
}

async function removePins(path: string): Promise<void> {
  await rm(path + SCRATCH, { recursive: true, force: true });
  await rm(path, { force: true });
}

async function livePins(directory: string, now: number): Promise<Set<string>> {
  const pinned = new Set<string>();
  for (const name of await namesIn(directory)) {
    if (name.endsWith(SCRATCH)) continue;
    const path = join(directory, name);
    const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n');
    const owner = readLease(lines[0]);
    // A file without its first line is being begun at this moment: nothing is pinned in it yet.
    if (owner === null) continue;
    if (await isLive(owner, path, now)) {
      for (const line of lines) if (HASH.test(line)) pinned.add(line);
    } else await removePins(path);
  }
  return pinned;
}

async function isLive(owner: Lease, path: string, now: number): Promise<boolean> {
  const written = (await stat(path).catch(() => null))?.mtimeMs ?? 0;
  return !isAbandoned(await lifeOf(owner), now - written);
}
