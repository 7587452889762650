import { type Dirent, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { orNull } from '../../base/errors.js';
import type { Launch, Processes } from '../processes/processes.js';
import { type HeldMounts, holdMounts, signalTo, stoppedAt, systemProgram } from './held-mounts.js';
import type { Overlay, OverlayRoot } from './overlay.js';

/**
 * Opening a file takes the kernel much longer in an overlay than in the folder below it. For programs that only read there are
 * mounts that show the same as the overlay, in which every folder without changes is the folder itself.
 */
export interface SearchMounts {
  /** The launch that starts another one there; null while they are not made for what is changed by now, which begins then. */
  enter(launch: Launch): Launch | null;
  /**
   * Called before the kernel is told to forget names: it remembers those at which something is mounted, so mounts go where somebody has put
   * other folders in such places.
   */
  beforeRefresh(): void;
  close(): void;
}

export interface SearchMountsNeeds {
  overlay: Pick<Overlay, 'enter' | 'namespaces'>;
  roots: readonly OverlayRoot[];
  /** A folder of our own, for mount points. */
  folder: string;
  /** See `ViewOptions`. */
  processes: Pick<Processes, 'run'>;
}

const LIMIT_MS = 10_000;

export function createSearchMounts(needs: SearchMountsNeeds): SearchMounts {
  const closing = new AbortController();
  let made: { key: string; held: HeldMounts } | null = null;
  let asked = '';
  let isMaking = false;
  let isHopeless = false;
  async function make({ binds, key }: BindPlan): Promise<void> {
    isMaking = true;
    const held = await mountFor(binds, needs, closing.signal).catch(() => null);
    isMaking = false;
    isHopeless = held === null;
    letGo();
    made = held && { key, held };
    if (closing.signal.aborted) close();
  }
  function letGo(): void {
    made?.held.release();
    made = null;
  }
  function close(): void {
    closing.abort();
    letGo();
  }
  return {
    enter({ program, args, directory, environment }) {
      if (isHopeless) return null;
      const plan = orNull(() => planBinds(needs));
      if (plan === null) return null;
      if (made?.key === plan.key)
        return { ...made.held.enter([program, ...args], directory), directory: '/', environment };
      // Many mounts are worth it once somebody searches again in the same folders.
      if (!isMaking && (plan.binds.length <= FEW_BINDS || asked === plan.key)) void make(plan);
      asked = plan.key;
      return null;
    },
    beforeRefresh() {
      if (made && orNull(() => planBinds(needs))?.key !== made.key) letGo();
    },
    close,
  };
}

/** A folder, and the one in whose place it is shown. */
interface Bind {
  from: string;
  to: string;
}

interface BindPlan {
  binds: Bind[];
  /** Differs where other mounts are needed. */
  key: string;
}

/** Each takes about a millisecond. */
const FEW_BINDS = 8;
const MOST_BINDS = 128;
const MOST_LOOKED_AT = 2_000;

/** Null where it is not worth it, or where it can't be told which folders are the same. */
function planBinds({ roots, folder }: Pick<SearchMountsNeeds, 'roots' | 'folder'>): BindPlan | null {
  const binds: Bind[] = [];
  /** The folders that the kernel remembers for the mounts. */
  const inodes = new Map<string, string>();
  let looked = 0;
  for (const [index, root] of roots.entries()) {
    const places: SearchedRoot = {
      ...root,
      overlay: overlayPlace(folder, index),
      self: selfPlace(folder, index),
    };
    const bind = (from: string, path: string): void => {
      binds.push({ from: from + path, to: root.lower + path });
      for (let at = path; at !== '' && !inodes.has(root.lower + at); at = at.slice(0, at.lastIndexOf('/')))
        inodes.set(root.lower + at, String(lstatSync(root.lower + at, { bigint: true }).ino));
    };
    if (!isSameFolder(places, '')) return null;
    /** `isOverlay`: the folder at the path would be seen in the overlay, without a mount of its own. */
    const visit = (path: string, isOverlay: boolean): void => {
      const entries = readdirSync(root.upper + path, { withFileTypes: true });
      looked += entries.length;
      if (looked > MOST_LOOKED_AT) return;
      const passed = entries.filter((entry) => isPassed(places, path, entry));
      const isChanged = passed.length < entries.length;
      if (isChanged !== isOverlay) bind(isChanged ? places.overlay : places.self, path);
      if (isChanged)
        for (const name of untouched(places, path, entries)) bind(places.self, `${path}/${name}`);
      for (const { name } of passed) visit(`${path}/${name}`, isChanged);
    };
    visit('', false);
  }
  if (looked > MOST_LOOKED_AT || binds.length > MOST_BINDS) return null;
  return { binds, key: JSON.stringify([binds, [...inodes]]) };
}

interface SearchedRoot extends OverlayRoot {
  /** The overlay's path once the folder itself is shown at its own path. */
  overlay: string;
  self: string;
}

function overlayPlace(folder: string, index: number): string {
  return join(folder, `overlay-${index}`);
}

function selfPlace(folder: string, index: number): string {
  return join(folder, `self-${index}`);
}

/** True for a folder that was changed further down at most. */
function isPassed(places: SearchedRoot, path: string, entry: Dirent): boolean {
  return entry.isDirectory() && isSameFolder(places, `${path}/${entry.name}`);
}

/**
 * True where the overlay shows the folder that is below it, merged with changes. A folder that was put in its place has another
 * number, as long as all layers lie in one file system. The topmost one always is that of the upper layer.
 */
function isSameFolder({ lower, upper, merged }: SearchedRoot, path: string): boolean {
  const [below, above, seen] = [lower, upper, merged].map((top) =>
    // The slash follows the path of a view's root, which is itself a link.
    orNull(() => lstatSync(`${top}${path}/`, { bigint: true })),
  );
  if (!below?.isDirectory() || !above || !seen) return false;
  const isRoot = path === '';
  return below.dev === above.dev && (isRoot || below.ino === seen.ino) && below.mode === seen.mode;
}

/** Names of folders in which nothing was changed, unless they are so many that mounting takes too long. */
function untouched({ lower }: SearchedRoot, path: string, changed: readonly Dirent[]): string[] {
  const names = new Set(changed.map(({ name }) => name));
  const folders = readdirSync(lower + path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !names.has(entry.name))
    .map(({ name }) => name);
  return folders.length > MOST_BINDS / 2 ? [] : folders;
}

/**
 * In a copy of the view's mounts: puts each overlay aside, so that the folder itself is seen, then shows other folders in the
 * places where that is not the same. Stops until we hold the mounts.
 */
const MOUNT_FOR_SEARCH = `
mount=$1 umount=$2 pid=$3 count=$4
shift 4
while [ "$count" -gt 0 ]; do
  "$mount" -n --bind "$1" "$2" && "$umount" -n "$1" && "$mount" -n --bind "$1" "$3" || exit 1
  shift 3
  count=$((count - 1))
done
while [ "$#" -gt 0 ]; do
  "$mount" -n --bind "$1" "$2" || exit 1
  shift 2
done
echo $$ > "$pid"
kill -STOP $$
`;

/** Null where the system does not let us. */
async function mountFor(
  binds: readonly Bind[],
  { overlay, roots, folder, processes }: SearchMountsNeeds,
  signal: AbortSignal,
): Promise<HeldMounts | null> {
  const pidFile = join(folder, 'pid');
  rmSync(pidFile, { force: true });
  const asides = roots.flatMap(({ lower }, index) => {
    const places = [overlayPlace(folder, index), selfPlace(folder, index)];
    for (const place of places) mkdirSync(place, { recursive: true, mode: 0o700 });
    return [lower, ...places];
  });
  const script = [MOUNT_FOR_SEARCH, 'sh', systemProgram('mount'), systemProgram('umount'), pidFile];
  const words = [String(roots.length), ...asides, ...binds.flatMap(({ from, to }) => [from, to])];
  const command = overlay.enter(
    {
      program: systemProgram('unshare'),
      args: ['--mount', '--propagation', 'private', '--', '/bin/sh', '-c', ...script, ...words],
    },
    { directory: '/', confined: true },
  );
  const ended = processes.run(
    { ...command, directory: '/', environment: {} },
    { signal, timeoutMs: LIMIT_MS },
  );
  const pid = await stoppedAt(pidFile, ended, signal);
  if (pid === null) return null;
  try {
    return holdMounts(pid, { folders: roots.map(({ lower }) => lower), namespaces: overlay.namespaces });
  } finally {
    signalTo(pid, 'SIGCONT');
    await ended;
  }
}
