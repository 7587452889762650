import {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** A control group that bounds how many processes a tree may have, and knows all of them. */
export interface BoundedGroup {
  /** A process that writes 0 here is in it, with all that it starts later. */
  joinPath: string;
  pids(): number[];
  /** Ends all of it in one step, where the kernel can. */
  kill(): void;
  /** False while something lives in it. */
  remove(): boolean;
}

export interface BoundedGroups {
  version: 1 | 2;
  make(name: string, mostProcesses: number): BoundedGroup | null;
  /** Where a group of this name is, or those whose names begin so. */
  pathOf(name: string): string;
  /** Removes the empty groups whose names begin so. */
  sweep(prefix: string): void;
}

const PREFIX = 'toolwright-';

/** The place where we may make control groups that count processes; null where there is none. */
export function findBoundedGroups(proc = '/proc/self'): BoundedGroups | null {
  const membership = readOr(join(proc, 'cgroup'), '');
  const mounts = readOr(join(proc, 'mountinfo'), '');
  for (const { version, folder } of candidateFolders(membership, mounts)) {
    if (isUsable(folder, version)) return groupsIn(folder, version);
  }
  return null;
}

/** Where groups of ours could stand, best first: our own group, and for version 2 those above it. */
export function candidateFolders(membership: string, mounts: string): { version: 1 | 2; folder: string }[] {
  const found: { version: 1 | 2; folder: string }[] = [];
  for (const line of membership.split('\n')) {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (controllers === undefined || path === undefined) continue;
    const version = controllers === '' ? 2 : 1;
    if (version === 1 && !controllers.split(',').includes('pids')) continue;
    const mount = mounts.split('\n').find((entry) => isMountOf(entry, version));
    const top = mount?.split(' ')[4];
    if (top === undefined) continue;
    // A group that holds processes can't share out controllers, so with version 2 one further up may be the place.
    let inside = path;
    for (;;) {
      found.push({ version, folder: inside === '/' ? top : join(top, inside) });
      if (version === 1 || inside === '/') break;
      inside = dirname(inside);
    }
  }
  return found;
}

function isMountOf(entry: string, version: 1 | 2): boolean {
  const [type, , options] = entry.split(' - ')[1]?.split(' ') ?? [];
  if (version === 2) return type === 'cgroup2';
  return type === 'cgroup' && (options?.split(',').includes('pids') ?? false);
}

function isUsable(folder: string, version: 1 | 2): boolean {
  if (version === 2 && !readOr(join(folder, 'cgroup.subtree_control'), '').split(/\s+/).includes('pids'))
    return false;
  const trial = join(folder, `${PREFIX}trial-${process.pid}`);
  try {
    if (version === 2) accessSync(join(folder, 'cgroup.procs'), constants.W_OK);
    mkdirSync(trial);
    try {
      writeFileSync(join(trial, 'pids.max'), '64');
    } finally {
      rmdirSync(trial);
    }
    return true;
  } catch {
    return false;
  }
}

function groupsIn(folder: string, version: 1 | 2): BoundedGroups {
  const pathOf = (name: string): string => join(folder, PREFIX + name);
  return {
    version,
    pathOf,
    make(name, mostProcesses) {
      const path = pathOf(name);
      try {
        mkdirSync(path);
        writeFileSync(join(path, 'pids.max'), String(mostProcesses));
        return groupAt(path, version);
      } catch {
        removeFolder(path);
        return null;
      }
    },
    sweep(prefix) {
      for (const name of namesIn(folder)) {
        if (name.startsWith(PREFIX + prefix)) removeFolder(join(folder, name));
      }
    },
  };
}

/**
 * With version 1 a process of one thread joins as a thread: to move a whole process the kernel waits until nobody forks
 * anywhere, which takes ten milliseconds and more after a while of quiet.
 */
function groupAt(path: string, version: 1 | 2): BoundedGroup {
  return {
    joinPath: join(path, version === 1 ? 'tasks' : 'cgroup.procs'),
    pids: () => readOr(join(path, 'cgroup.procs'), '').split('\n').filter(Boolean).map(Number),
    kill() {
      try {
        writeFileSync(join(path, 'cgroup.kill'), '1', { flag: 'r+' });
      } catch {
        // Version 1 and older kernels have no such file; the processes are then ended one by one.
      }
    },
    remove: () => removeFolder(path),
  };
}

function removeFolder(path: string): boolean {
  try {
    // The kernel takes a group away only when nothing is left in it.
    rmdirSync(path);
    return true;
  } catch {
    return false;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return otherwise;
  }
}
