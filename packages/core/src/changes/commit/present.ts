import { createHash } from 'node:crypto';
import type { Files } from '../../host/files.js';
import type { EntryState } from '../change-set.js';

const CHUNK = 1 << 20;

/** What is at the path now, a last link not followed. */
export async function presentState(files: Files, path: string, signal?: AbortSignal): Promise<EntryState> {
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
    const chunk = new Uint8Array(Math.min(CHUNK, file.stat.size + 1));
    let size = 0;
    for (let read = -1; read !== 0; size += read) {
      read = await file.readInto(chunk, size, signal);
      digest.update(chunk.subarray(0, read));
    }
    return { kind: 'file', hash: digest.digest('hex'), size, mode: file.stat.mode };
  } finally {
    await file.close();
  }
}
