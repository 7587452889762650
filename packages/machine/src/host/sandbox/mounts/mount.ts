import { dirname } from 'node:path';
import { isInside } from '../../workspace.js';

export type Mount =
  /** Something of the host, at its own path unless `from` says otherwise. */
  | { kind: 'read-only' | 'writable'; path: string; from?: string }
  /** A folder of its own on disk, kept elsewhere on the host. */
  | { kind: 'scratch'; path: string; from: string }
  /** An empty folder of its own, in memory; a sealed one can't be written. */
  | { kind: 'empty' | 'sealed'; path: string }
  /** An empty read-only folder that is no mount, which is faster; only where nothing of the host is visible. */
  | { kind: 'bare'; path: string }
  /** Covers a file that must not be read. */
  | { kind: 'unreadable'; path: string }
  | { kind: 'link'; path: string; target: string }
  | { kind: 'devices' | 'processes'; path: string };

/** The mounts planned so far, one per path. */
export interface MountPlan {
  put(mount: Mount): void;
  has(path: string): boolean;
  /** The mount that decides how a path is seen: its own, or that of the nearest folder above. */
  deciding(path: string): Mount | null;
  /** True if what the host has at this path is visible there. */
  shows(path: string): boolean;
  /** Other paths at which what the host has at this path is visible. */
  aliases(path: string): string[];
  /** Folders before what is in them. */
  inOrder(): Mount[];
}

export function createMountPlan(): MountPlan {
  const mounts = new Map<string, Mount>();
  const deciding = (path: string): Mount | null => {
    const own = mounts.get(path);
    if (own !== undefined) return own;
    return dirname(path) === path ? null : deciding(dirname(path));
  };
  return {
    put: (mount) => void mounts.set(mount.path, mount),
    has: (path) => mounts.has(path),
    deciding,
    shows(path) {
      const mount = deciding(path);
      if (mount?.kind !== 'read-only' && mount?.kind !== 'writable') return false;
      return mount.from === undefined || mount.from === mount.path;
    },
    aliases: (path) =>
      [...mounts.values()].flatMap((mount) => {
        if (mount.kind !== 'read-only' && mount.kind !== 'writable') return [];
        const { from = mount.path } = mount;
        if (from === mount.path || !isInside(path, from)) return [];
        const alias = mount.path + path.slice(from.length);
        return deciding(alias) === mount ? [alias] : [];
      }),
    inOrder: () => [...mounts.values()].sort((left, right) => (left.path < right.path ? -1 : 1)),
  };
}
