import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isNodeError } from '../../base/errors.js';
import { namesIn } from './folder.js';

export interface Eviction {
  removed: number;
  removedBytes: number;
  /** Bytes left, pinned images above the quota included. */
  keptBytes: number;
}

export interface EvictionOptions {
  directory: string;
  quotaBytes: number;
  /** Asked twice: before the choice, and again once the chosen are out of reach. */
  pinned(): Promise<ReadonlySet<string>>;
}

interface Image {
  hash: string;
  path: string;
  size: number;
  /** Change time: linking and renaming set it, while the modification time is still the replaced file's. */
  since: number;
}

export const EVICTING = '.evicting';

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
