import { mkdir, open, readdir } from 'node:fs/promises';
import { isNodeError } from '../../base/errors.js';

/** For the owner's eyes only: what lies in it may be anybody's secret. */
export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
}

/** Sorted; none when there is no such folder. */
export async function namesIn(path: string): Promise<string[]> {
  try {
    return (await readdir(path)).sort();
  } catch (error) {
    if (isNodeError(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}

/** Names made or removed in the folder survive a power cut once this returns. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
