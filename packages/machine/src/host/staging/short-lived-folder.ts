import { lstatSync, mkdtempSync, readdirSync, readlinkSync, rmSync, type Stats } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInUse } from '../state/process-identity.js';

/** For pipes and sockets, whose names must be short. Named after its maker, so that it is found when that was killed. */
export function makeShortLivedFolder(): string {
  return mkdtempSync(join(tmpdir(), `toolwright-${process.pid}-${numbersOfProcesses()}-`));
}

const NAME = /^toolwright-(\d+)-(\d+)-/;

/** Removes our folders whose makers are dead, as far as that is possible in a folder that others write to as well. */
export function removeShortLivedFolders(): void {
  for (const name of namesIn(tmpdir())) {
    const [, pid, numbers] = NAME.exec(name) ?? [];
    // A number may belong to somebody else by now, who may be one of us; in another container it means nothing here.
    if (pid === undefined || numbers !== numbersOfProcesses() || isInUse(Number(pid))) continue;
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

/** Which processes our numbers are about: containers may share a folder, but not their process numbers. */
function numbersOfProcesses(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
