import { mkdirSync, rmdirSync } from 'node:fs';
import type { OutsidePlace } from '../sandbox.js';

/** Makes the folders that a program may write and that are not there yet. What stays empty goes with `release`. */
export function makeMissingFolders(places: readonly OutsidePlace[] = []): { release(): void } {
  const made = places.flatMap(({ kind, real }) =>
    kind === 'missing-folder' && mkdirSync(real, { recursive: true, mode: 0o700 }) !== undefined
      ? [real]
      : [],
  );
  return {
    release() {
      for (const path of made) {
        try {
          rmdirSync(path);
        } catch {
          // Something is in it, or it is gone.
        }
      }
    },
  };
}
