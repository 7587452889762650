import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { orNull } from '../../../base/errors.js';
import { runOwnProgram } from '../../processes/launch/child-process.js';

export interface BubblewrapProgram {
  path: string;
  /** Changes when the file is replaced. */
  stamp: string;
}

/** Paths that only the system's owner can write. */
export const systemPrograms = ['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap'];

/** Finds bubblewrap where neither a workspace nor PATH can have put another program. */
export function findBubblewrap(candidates: readonly string[] = systemPrograms): BubblewrapProgram | null {
  for (const path of candidates) {
    const file = belongsToSystem(path);
    if (file?.isFile() && belongsToSystem(dirname(path)) !== null)
      return { path, stamp: `${file.size}-${file.mtimeMs}-${file.ino}` };
  }
  return null;
}

function belongsToSystem(path: string) {
  const found = orNull(() => statSync(path));
  return found?.uid === 0 && (found.mode & 0o022) === 0 ? found : null;
}

const VERSION_LIMIT_MS = 5000;

/** The version, such as `0.8.0`; null if it can't be told. */
export async function bubblewrapVersion(path: string, signal: AbortSignal): Promise<string | null> {
  const { stdout } = await runOwnProgram(path, ['--version'], { deadlineMs: VERSION_LIMIT_MS, signal });
  signal.throwIfAborted();
  return /\d+(?:\.\d+)+/.exec(stdout)?.[0] ?? null;
}

export function isAtLeast(version: string, wanted: string): boolean {
  const [have, need] = [version, wanted].map((each) => each.split('.').map(Number));
  for (const [index, number] of (need ?? []).entries()) {
    const own = have?.[index] ?? 0;
    if (own !== number) return own > number;
  }
  return true;
}
