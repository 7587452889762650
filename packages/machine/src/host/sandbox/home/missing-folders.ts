import { mkdirSync, rmdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { isInside } from '../../workspace.js';
import type { OutsidePlace } from '../sandbox.js';

/** Makes missing folders that a program may write. `release` removes those that stayed empty. */
export function makeMissingFolders(places: readonly OutsidePlace[] = []): { release(): void } {
  const made: string[] = [];
  const release = (): void => {
    for (const path of made) {
      try {
        rmdirSync(path);
      } catch {
        // It is not empty, or gone.
      }
    }
  };
  try {
    for (const { real } of places.filter(({ kind }) => kind === 'missing-folder')) {
      const first = mkdirSync(real, { recursive: true, mode: 0o700 });
      // Missing folders above it are removed after it.
      for (let path = real; first !== undefined && isInside(path, first); path = dirname(path))
        made.push(path);
    }
  } catch (error) {
    release();
    throw error;
  }
  return { release };
}
