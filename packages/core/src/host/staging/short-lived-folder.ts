import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const prefixOf = (pid: number): string => `toolwright-${pid}-`;

/** For pipes and sockets, whose names must be short. Named after its maker, so that it is found when that was killed. */
export function makeShortLivedFolder(): string {
  return mkdtempSync(join(tmpdir(), prefixOf(process.pid)));
}

/** Those of a process that is dead. */
export function removeShortLivedFolders(pid: number): void {
  for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith(prefixOf(pid)))) {
    rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}
