import { basename } from 'node:path';
import { timeOfId } from '@toolwright/machine/host/node-host.js';
import { lookAtSync } from '@toolwright/machine/host/state/inspect-files.js';

/** A journal on disk, of whichever workspace. */
export interface JournalFile {
  /** The session's id. */
  id: string;
  path: string;
  bytes: number;
  modifiedMs: number;
  /** When it was last written to, or begun: what sorts sessions, also where the clock was set back. */
  usedMs: number;
}

/** The one order of sessions, the one used last first; a look at each file, which is not opened. */
export function latestFirst(paths: readonly string[]): JournalFile[] {
  const journals = paths.flatMap((path): JournalFile[] => {
    const file = lookAtSync(path);
    if (!file) return [];
    const { size: bytes, modifiedMs } = file;
    const id = basename(path, '.jsonl');
    // An id that the user chose tells no time, and one that was made may tell a later one than a clock that was set back.
    return [{ id, path, bytes, modifiedMs, usedMs: Math.max(timeOfId(id), modifiedMs) }];
  });
  return journals.sort((one, other) => (isEarlier(one, other) ? 1 : -1));
}

/** Whether a session was used before another, or another moment that is known with its id. */
export function isEarlier(
  one: Pick<JournalFile, 'id' | 'usedMs'>,
  other: Pick<JournalFile, 'id' | 'usedMs'>,
): boolean {
  return one.usedMs === other.usedMs ? one.id < other.id : one.usedMs < other.usedMs;
}
