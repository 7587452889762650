import {
  closeSync,
  fsync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { isNodeError } from '../../base/errors.js';

/**
 * Synchronous but for flushing: each of these takes microseconds, and several happen in every commit, where a
 * trip through the thread pool costs many times as much.
 */
const fsyncAsync = promisify(fsync);

/** For the owner's eyes only: what lies in it may be anybody's secret. */
export async function makePrivateFolder(path: string): Promise<void> {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** Sorted; none when there is no such folder. */
export async function namesIn(path: string): Promise<string[]> {
  try {
    return readdirSync(path).sort();
  } catch (error) {
    if (isNodeError(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}

/** Names made or removed in the folder survive a power cut once this returns. */
export async function syncFolder(path: string): Promise<void> {
  await syncAndClose(openSync(path, 'r'));
}

async function syncAndClose(descriptor: number): Promise<void> {
  try {
    await fsyncAsync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Adds a line; on the disk once this returns. */
export async function addLine(path: string, line: string): Promise<void> {
  const descriptor = openSync(path, 'a', 0o600);
  try {
    writeFileSync(descriptor, `${line}\n`);
    await fsyncAsync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes a file of one line, which must not be there yet: safe from the death of this process, not yet from a power cut. */
export async function startFile(path: string, line: string): Promise<void> {
  writeFileSync(path, `${line}\n`, { flag: 'wx', mode: 0o600 });
}

/** The content of a file survives a power cut once this returns. */
export async function syncFile(path: string): Promise<void> {
  await syncAndClose(openSync(path, 'r+'));
}

export async function readText(path: string): Promise<string> {
  return readFileSync(path, 'utf8');
}

export async function removeFile(path: string): Promise<void> {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!isNodeError(error, 'ENOENT')) throw error;
  }
}
