import { lstatSync, mkdtempSync, readdirSync, rmSync, type Stats } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lifeOfNamed, ownNamedLease } from './lease.js';

/** For pipes and sockets, whose names must be short. Named after its maker, so that it is found when that was killed. */
export function makeShortLivedFolder(): string {
  const { pid, namespace } = ownNamedLease();
  return mkdtempSync(join(tmpdir(), `toolwright-${pid}-${namespace}-`));
}

const NAME = /^toolwright-(\d+)-(\d+)-/;

/** Removes our folders whose makers are dead, as far as that is possible in a folder that others write to as well. */
export function removeShortLivedFolders(): void {
  for (const name of namesIn(tmpdir())) {
    const [, pid, namespace = ''] = NAME.exec(name) ?? [];
    if (pid === undefined || lifeOfNamed({ pid: Number(pid), namespace }) !== 'dead') continue;
    const path = join(tmpdir(), name);
    try {
      // Whoever owns a folder could put links into it while root removes what is inside.
      if (isOurs(lstatSync(path))) rmSync(path, { recursive: true, force: true });
    } catch {
      // Not ours.
    }
  }
}

function isOurs(found: Stats): boolean {
  return found.isDirectory() && found.uid === (process.geteuid?.() ?? found.uid);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
