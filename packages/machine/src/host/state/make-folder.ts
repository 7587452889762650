import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isNodeError } from '../../base/errors.js';

/**
 * Makes a folder and those above it. Node's own recursive mkdir never returns where the system answers ENOENT
 * although the parent exists, as `/proc` does.
 */
export async function makeFolder(path: string, mode = 0o700): Promise<void> {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (isNodeError(error, 'EEXIST') && statSync(path).isDirectory()) return;
    const parent = dirname(path);
    if (!isNodeError(error, 'ENOENT') || parent === path) throw error;
    await makeFolder(parent, mode);
    makeUnlessThere(path, mode);
  }
}

function makeUnlessThere(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (!isNodeError(error, 'EEXIST')) throw error;
  }
}
