import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isNodeError } from '../../base/errors.js';

/**
 * Makes a folder and those above it. Node's own recursive mkdir never returns where the system answers ENOENT
 * although the parent exists, as `/proc` does.
 */
export async function makeFolder(path: string, mode = 0o700): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (isNodeError(error, 'EEXIST') && (await stat(path)).isDirectory()) return;
    const parent = dirname(path);
    if (!isNodeError(error, 'ENOENT') || parent === path) throw error;
    await makeFolder(parent, mode);
    await mkdir(path, { mode }).catch((again: unknown) => {
      if (!isNodeError(again, 'EEXIST')) throw again;
    });
  }
}
