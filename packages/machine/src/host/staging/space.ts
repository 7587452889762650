import { statfsSync } from 'node:fs';

const MEGABYTE = 1024 * 1024;

export interface Space {
  freeBytes: number;
  /** Bytes left alone, so that the machine can go on working. */
  reserveBytes: number;
}

export function spaceAt(path: string): Space {
  const { bavail, blocks, bsize } = statfsSync(path);
  return { freeBytes: bavail * bsize, reserveBytes: Math.min(64 * MEGABYTE, (blocks * bsize) / 20) };
}

/** True when little room is left where the folder lies; false for a folder that is gone. */
export function isNearlyFull(path: string): boolean {
  try {
    const { freeBytes, reserveBytes } = spaceAt(path);
    return freeBytes < reserveBytes;
  } catch {
    return false;
  }
}

export interface SpaceWatch {
  signal: AbortSignal;
  stop(): void;
}

/** Aborts once the disk is nearly full. */
export function watchSpace(path: string, message: string): SpaceWatch {
  const controller = new AbortController();
  const timer = setInterval(() => {
    if (isNearlyFull(path)) controller.abort({ kind: 'limit', message });
  }, LOOK_EVERY_MS);
  timer.unref();
  return { signal: controller.signal, stop: () => clearInterval(timer) };
}

const LOOK_EVERY_MS = 100;
