import {
  type Dirent,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  isAbandoned,
  type Lease,
  type Life,
  lifeOf,
  lifeOfNamed,
  ownLease,
  ownNamedLease,
  readLease,
} from './lease.js';
import { removeTree } from './remove-tree.js';

/** A folder of one process, which the next start removes when that process was killed. */
export interface OwnedFolder {
  readonly path: string;
  /** When it was made, by the clock that file systems use. */
  readonly madeAtNs: bigint;
  /** Removes it with all that is in it, whatever modes a command has left there. */
  remove(): Promise<void>;
}

const OWNER = 'owner.json';
const SWEEP_LIMIT_MS = 500;

/** Makes a folder below `directory` and writes down whose it is, so that a later start knows when it is nobody's. */
export async function makeOwnedFolder(directory: string, id: string): Promise<OwnedFolder> {
  // Asked before there is a folder: whoever is killed while asking must not leave one that is nobody's.
  const owner = JSON.stringify({ v: 1, ...(await ownLease()) });
  const path = join(directory, id);
  const unmarked = nameOfOurs(path);
  mkdirSync(unmarked, { mode: 0o700 });
  try {
    writeFileSync(join(unmarked, OWNER), owner, { mode: 0o600 });
    renameSync(unmarked, path);
  } catch (error) {
    rmSync(join(unmarked, OWNER), { force: true });
    // Not as a tree: that needs a descriptor, and maybe there is none.
    rmdirSync(unmarked);
    throw error;
  }
  const mark = join(path, OWNER);
  return { path, madeAtNs: statSync(mark, { bigint: true }).mtimeNs, remove: () => removeOwned(path) };
}

export interface Sweep {
  now: number;
  /** Half a second unless told. What is left then is left to the next start: a flood must not hold up this one. */
  limitMs?: number;
  /** Called before a folder goes; false: it stays. */
  salvage?(path: string): boolean;
  /** One that can't be removed is no reason to leave the others. */
  onProblem?(error: unknown): void;
}

/** Removes the folders whose processes are dead. Returns how many. */
export async function sweepOwnedFolders(directory: string, sweep: Sweep): Promise<number> {
  let removed = 0;
  const begun = performance.now();
  for (const name of fromAnywhere(namesIn(directory))) {
    if (performance.now() - begun > (sweep.limitMs ?? SWEEP_LIMIT_MS)) break;
    const path = join(directory, name);
    // Signals are heard between two turns only.
    await nextTurn();
    if (!(await isNobodys(path, sweep.now))) continue;
    try {
      if (sweep.salvage?.(path) === false) continue;
      await removeOwned(path);
      removed += 1;
    } catch (error) {
      sweep.onProblem?.(error);
    }
  }
  return removed;
}

/** So that those which stay are not all that a start ever looks at. */
function fromAnywhere(names: string[]): string[] {
  const first = Math.floor(Math.random() * names.length);
  return [...names.slice(first), ...names.slice(0, first)];
}

async function isNobodys(path: string, now: number): Promise<boolean> {
  const touched = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now;
  return isAbandoned(await lifeOfOwner(path), now - touched);
}

const NAMED_OWNER = /\.of-(\d+)$/;

/** While it is made or removed, a folder's name carries the owner's process number. */
function nameOfOurs(path: string): string {
  return `${path.replace(NAMED_OWNER, '')}.of-${process.pid}`;
}

async function lifeOfOwner(path: string): Promise<Life> {
  const owner = ownerOf(path);
  if (owner) return lifeOf(owner);
  const [, pid] = NAMED_OWNER.exec(path) ?? [];
  return pid === undefined ? 'unknown' : lifeOfNamed({ ...ownNamedLease(), pid: Number(pid) });
}

function ownerOf(path: string): Lease | null {
  try {
    return readLease(readFileSync(join(path, OWNER), 'utf8'));
  } catch {
    return null;
  }
}

function namesIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}

/** Quickly: most starts find nothing. */
export function isEmptyFolder(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch {
    return true;
  }
}

async function removeOwned(folder: string): Promise<void> {
  const path = renamedToOurs(folder);
  if (!removedAtOnce(path)) await removeTree(path);
}

const FEW = 16;

/** A few calls at once are faster than as many trips through the thread pool; thousands would hold up everything else. */
function removedAtOnce(path: string): boolean {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    // An overlay keeps an empty folder, which nobody may enter, in its work folder.
    for (const { name } of entries.filter((entry) => entry.name.startsWith('work-')))
      for (const inner of readdirSync(join(path, name))) rmdirSync(join(path, name, inner));
    const isFull = (entry: Dirent) => entry.isDirectory() && readdirSync(join(path, entry.name)).length > 0;
    if (entries.length > FEW || entries.some(isFull)) return false;
    rmSync(path, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

/** The mark goes early while a tree is removed: whoever is killed then must not leave a folder that is nobody's. */
function renamedToOurs(folder: string): string {
  const path = nameOfOurs(folder);
  try {
    renameSync(folder, path);
    return path;
  } catch {
    return folder; // gone already, or not to be renamed: removing it says which
  }
}
