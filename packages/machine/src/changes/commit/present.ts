import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { isToolError } from '../../base/errors.js';
import type { Files, OpenFile } from '../../host/files/files.js';
import type { EntryState } from '../change-set.js';

const CHUNK = 1 << 20;

/** A folder that the same change set removes leaves its place free. */
export function withFoldersGone(
  state: EntryState,
  path: string,
  gone: readonly { path: string }[],
): EntryState {
  return state.kind === 'directory' && gone.some((folder) => folder.path === path)
    ? { kind: 'absent' }
    : state;
}

/**
 * True when a change would happen at this very path: a link on the way would lead it elsewhere, be it one
 * that someone put there or one that the same change set removes or makes.
 */
export async function isExact(files: Files, path: string): Promise<boolean> {
  try {
    return (await files.realPath(path)) === path;
  } catch (error) {
    if (isToolError(error)) return false;
    throw error;
  }
}

export async function isFolder(files: Files, path: string): Promise<boolean> {
  return (await isExact(files, path)) && (await files.lstat(path))?.kind === 'directory';
}

/** The present state of the path, no link followed; nothing is at a path that leads elsewhere. */
export async function presentState(files: Files, path: string, signal?: AbortSignal): Promise<EntryState> {
  if (!(await isFolder(files, dirname(path)))) return { kind: 'absent' };
  const stat = await files.lstat(path);
  switch (stat?.kind) {
    case undefined:
      return { kind: 'absent' };
    case 'symlink':
      return { kind: 'symlink', target: await files.readLink(path) };
    case 'directory':
      return { kind: 'directory', mode: stat.mode };
    case 'other':
      return { kind: 'other' };
    case 'file':
      return presentFile(files, path, signal);
  }
}

async function presentFile(files: Files, path: string, signal?: AbortSignal): Promise<EntryState> {
  const file = await files.open(path, signal);
  try {
    const digest = createHash('sha256');
    let size = 0;
    for await (const chunk of chunksOf(file, signal)) {
      digest.update(chunk);
      size += chunk.byteLength;
    }
    return { kind: 'file', hash: digest.digest('hex'), size, mode: file.stat.mode };
  } finally {
    await file.close();
  }
}

/** The bytes of a file of any size, by pieces that are good until the next one. */
export async function* contentOf(files: Files, path: string): AsyncIterable<Uint8Array> {
  const file = await files.open(path);
  try {
    yield* chunksOf(file);
  } finally {
    await file.close();
  }
}

async function* chunksOf(file: OpenFile, signal?: AbortSignal): AsyncIterable<Uint8Array> {
  const buffer = new Uint8Array(Math.min(CHUNK, file.stat.size + 1));
  for (let offset = 0; ; ) {
    const read = await file.readInto(buffer, offset, signal);
    if (read === 0) return;
    yield buffer.subarray(0, read);
    offset += read;
  }
}
