import { join } from 'node:path';
import type { Host } from '@toolwright/machine/host/host.js';
import type { ChangedOnDisk } from '@toolwright/machine/host/language-server/language-server.js';
import { lookAtSync } from '@toolwright/machine/host/state/inspect-files.js';
import type { Language } from './known-servers.js';

const MOST_FILES = 5_000;
const LIMIT_MS = 2_000;

/** Finds what others have changed since the last look: servers watch no files, they are told. */
export interface DiskSweep {
  changed(signal: AbortSignal): Promise<ChangedOnDisk[]>;
}

export function createDiskSweep(
  root: string,
  { endings }: Language,
  { ripgrep, workspace }: Pick<Host, 'ripgrep' | 'workspace'>,
): DiskSweep {
  let known: Map<string, number> | null = null;
  const args = [
    '--files',
    '--null',
    '--no-messages',
    ...Object.keys(endings).map((each) => `--glob=*${each}`),
  ];
  return {
    async changed(signal) {
      const present = new Map<string, number>();
      await ripgrep.run({
        args,
        directory: root,
        signal,
        separator: 'nul',
        timeoutMs: LIMIT_MS,
        onRecord(name) {
          const path = join(root, name);
          present.set(path, lookAtSync(workspace.place.at(path))?.modifiedMs ?? 0);
          return present.size < MOST_FILES;
        },
      });
      const before = known;
      known = present;
      // Only a part of a larger tree was seen: what is missing there need not be gone.
      return before === null || present.size >= MOST_FILES ? [] : differences(before, present);
    },
  };
}

function differences(
  before: ReadonlyMap<string, number>,
  present: ReadonlyMap<string, number>,
): ChangedOnDisk[] {
  const changed: ChangedOnDisk[] = [];
  for (const [path, time] of present) {
    const earlier = before.get(path);
    if (earlier !== time) changed.push({ path, kind: earlier === undefined ? 'created' : 'changed' });
  }
  for (const path of before.keys()) if (!present.has(path)) changed.push({ path, kind: 'deleted' });
  return changed;
}
