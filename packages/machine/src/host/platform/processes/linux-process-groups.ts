import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isNodeError, orNull } from '../../../base/errors.js';

/** A control group that limits the processes of a tree, and lists them. */
export interface BoundedGroup {
  /** A process that writes 0 to each of these joins the group, with everything it starts later. */
  joinPaths: readonly string[];
  /** Null where the memory of the group can't be limited. */
  memory: { wasExceeded(): boolean; peakBytes(): number } | null;
  pids(): number[];
  /** Kills the whole group in one step, where the kernel can. */
  kill(): void;
  /** False while a process lives in it. */
  remove(): boolean;
}

export interface GroupBounds {
  processes: number;
  /** Bytes. */
  memory?: number;
}

export interface BoundedGroups {
  version: 1 | 2;
  boundsMemory: boolean;
  make(name: string, most: GroupBounds): BoundedGroup | null;
  /** The folders of the group of this name, or the common beginning of several. */
  pathsOf(name: string): string[];
  /** Removes empty groups whose names begin with `prefix`. */
  sweep(prefix: string): void;
}

const PREFIX = 'toolwright-';

type Controller = 'pids' | 'memory';

/** A folder in which we may make groups for a controller. */
interface GroupFolder {
  version: 1 | 2;
  folder: string;
}

/** Finds a folder where we may make control groups that count processes; null where there is none. */
export function findBoundedGroups(proc = '/proc/self'): BoundedGroups | null {
  const find = (controller: Controller): GroupFolder | null => {
    const [membership, mounts] = [textOf(join(proc, 'cgroup')), textOf(join(proc, 'mountinfo'))];
    return (
      candidateFolders(membership, mounts, controller).find((place) => isUsable(place, controller)) ?? null
    );
  };
  const place = find('pids');
  return place && groupsIn(place, find('memory'));
}

/** Folders for our groups, best first: our own group and, with version 2, those above it. */
export function candidateFolders(
  membership: string,
  mounts: string,
  controller: Controller = 'pids',
): GroupFolder[] {
  const found: GroupFolder[] = [];
  for (const line of membership.split('\n')) {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (controllers === undefined || path === undefined) continue;
    const version = controllers === '' ? 2 : 1;
    if (version === 1 && !controllers.split(',').includes(controller)) continue;
    const mount = mounts.split('\n').find((entry) => isMountOf(entry, version, controller));
    const top = mount?.split(' ')[4];
    if (top === undefined) continue;
    // With version 2 a group that holds processes can't share out controllers, so one further up may be usable.
    let inside = path;
    for (;;) {
      found.push({ version, folder: inside === '/' ? top : join(top, inside) });
      if (version === 1 || inside === dirname(inside)) break;
      inside = dirname(inside);
    }
  }
  return found;
}

function isMountOf(entry: string, version: 1 | 2, controller: Controller): boolean {
  const [type, , options] = entry.split(' - ')[1]?.split(' ') ?? [];
  if (version === 2) return type === 'cgroup2';
  return type === 'cgroup' && (options?.split(',').includes(controller) ?? false);
}

function isUsable({ folder, version }: GroupFolder, controller: Controller): boolean {
  const shared = textOf(join(folder, 'cgroup.subtree_control')).split(/\s+/);
  if (version === 2 && !shared.includes(controller)) return false;
  const trial = join(folder, `${PREFIX}trial-${process.pid}`);
  try {
    if (version === 2) accessSync(join(folder, 'cgroup.procs'), constants.W_OK);
    mkdirSync(trial);
    try {
      if (controller === 'pids') writeFileSync(join(trial, 'pids.max'), '64');
      else boundMemory(trial, version, 1 << 30);
    } finally {
      rmdirSync(trial);
    }
    return true;
  } catch {
    return false;
  }
}

function groupsIn({ folder, version }: GroupFolder, memory: GroupFolder | null): BoundedGroups {
  const folders = [...new Set([folder, ...(memory ? [memory.folder] : [])])];
  const pathsOf = (name: string): string[] => folders.map((each) => join(each, PREFIX + name));
  return {
    version,
    boundsMemory: memory !== null,
    pathsOf,
    make(name, most) {
      const paths = most.memory === undefined ? pathsOf(name).slice(0, 1) : pathsOf(name);
      const [path = '', memoryPath = path] = paths;
      try {
        for (const each of paths) mkdirSync(each);
        writeFileSync(join(path, 'pids.max'), String(most.processes));
        if (memory === null || most.memory === undefined) return groupAt(paths, null);
        boundMemory(memoryPath, memory.version, most.memory);
        return groupAt(paths, memorySight(memoryPath, memory.version));
      } catch {
        for (const each of paths) removeFolder(each);
        return null;
      }
    },
    sweep(prefix) {
      for (const each of folders) {
        for (const name of orNull(() => readdirSync(each)) ?? []) {
          if (name.startsWith(PREFIX + prefix)) removeFolder(join(each, name));
        }
      }
    },
  };
}

/** Limits memory including swap, where the kernel can count that: otherwise a limit only makes the machine slow. */
function boundMemory(path: string, version: 1 | 2, bytes: number): void {
  const [file, swap, value] =
    version === 2
      ? ['memory.max', 'memory.swap.max', 0]
      : ['memory.limit_in_bytes', 'memory.memsw.limit_in_bytes', bytes];
  writeFileSync(join(path, file), String(bytes), { flag: 'r+' });
  const together = [[swap, value], ...(version === 2 ? [['memory.oom.group', 1]] : [])] as const;
  for (const [name, wanted] of together) {
    try {
      writeFileSync(join(path, String(name)), String(wanted), { flag: 'r+' });
    } catch {
      // Kernels without swap accounting have no such file.
    }
  }
}

function memorySight(path: string, version: 1 | 2): NonNullable<BoundedGroup['memory']> {
  const [events, peak] =
    version === 2 ? ['memory.events', 'memory.peak'] : ['memory.oom_control', 'memory.max_usage_in_bytes'];
  return {
    wasExceeded: () => Number(/^oom_kill (\d+)$/m.exec(textOf(join(path, events)))?.[1] ?? 0) > 0,
    peakBytes: () => Number(textOf(join(path, peak))),
  };
}

/**
 * With version 1 a single-threaded process joins as a thread: to move a whole process, the kernel waits until nobody
 * forks anywhere, which can take more than ten milliseconds.
 */
function groupAt(paths: readonly string[], memory: BoundedGroup['memory']): BoundedGroup {
  const [path = ''] = paths;
  return {
    joinPaths: paths.map((each) => join(each, existsSync(join(each, 'tasks')) ? 'tasks' : 'cgroup.procs')),
    memory,
    pids: () => textOf(join(path, 'cgroup.procs')).split('\n').filter(Boolean).map(Number),
    kill() {
      try {
        writeFileSync(join(path, 'cgroup.kill'), '1', { flag: 'r+' });
      } catch {
        // Version 1 and older kernels have no such file; then the processes are killed one by one.
      }
    },
    remove: () => paths.map(removeFolder).every(Boolean),
  };
}

function removeFolder(path: string): boolean {
  try {
    // The kernel removes a group only when nothing is left in it.
    rmdirSync(path);
    return true;
  } catch (error) {
    return isNodeError(error, 'ENOENT');
  }
}

function textOf(path: string): string {
  return orNull(() => readFileSync(path, 'utf8')) ?? '';
}
