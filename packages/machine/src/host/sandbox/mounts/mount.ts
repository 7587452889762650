import { dirname } from 'node:path';

/** One piece of what a confined program sees. */
export type Mount =
  /** Something of the host at its own path. */
  | { kind: 'read-only' | 'writable'; path: string; from?: string }
  /** A folder of its own on disk, at another place of the host. */
  | { kind: 'scratch'; path: string; from: string }
  /** A folder of its own, empty, in memory; a sealed one can't be written. */
  | { kind: 'empty' | 'sealed'; path: string }
  /** An empty folder that can't be written and is no mount, which is quicker; only where nothing of the host is seen. */
  | { kind: 'bare'; path: string }
  /** Stands before a file that must not be read. */
  | { kind: 'unreadable'; path: string }
  | { kind: 'link'; path: string; target: string }
  | { kind: 'devices' | 'processes'; path: string };

/** The mounts planned so far, one per path. */
export interface MountPlan {
  put(mount: Mount): void;
  has(path: string): boolean;
  /** The mount that decides how a path is seen: its own, or that of the nearest folder above. */
  deciding(path: string): Mount | null;
  /** Whether the content of the host is seen there. */
  shows(path: string): boolean;
  /** Parents before what is in them. */
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
      const kind = deciding(path)?.kind;
      return kind === 'read-only' || kind === 'writable';
    },
    inOrder: () => [...mounts.values()].sort((left, right) => compareBySegments(left.path, right.path)),
  };
}

function compareBySegments(left: string, right: string): number {
  const [one, other] = [left.split('/'), right.split('/')];
  for (const [index, segment] of one.entries()) {
    const against = other[index];
    if (against === undefined) return 1;
    if (segment !== against) return segment < against ? -1 : 1;
  }
  return one.length - other.length;
}
