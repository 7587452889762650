import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInUse } from '../state/process-identity.js';

const prefixOf = (pid: number): string => `toolwright-${pid}-`;

/** For pipes and sockets, whose names must be short. Named after its maker, so that it is found when that was killed. */
export function makeShortLivedFolder(): string {
  return mkdtempSync(join(tmpdir(), prefixOf(process.pid)));
}

/** Those of a process that is dead, as far as they can be removed: others may write there too. */
export function removeShortLivedFolders(pid: number): void {
  // The number may belong to somebody else by now, who may be one of us.
  if (isInUse(pid)) return;
  for (const name of namesIn(tmpdir()).filter((each) => each.startsWith(prefixOf(pid)))) {
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // Not ours.
    }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
