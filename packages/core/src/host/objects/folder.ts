import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
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

/** Adds a line; on the disk once this returns. A new file must not be there yet. */
export async function addLine(path: string, line: string, { isNew = false } = {}): Promise<void> {
  const file = await open(path, isNew ? 'wx' : 'a', 0o600);
  try {
    await file.writeFile(`${line}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

export async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8');
}

export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true });
}
