import { randomBytes } from 'node:crypto';
import {
  type Dirent,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isNodeError, orNull } from '../../base/errors.js';
import { steadyNow } from '../deadline.js';
import type { Clock } from '../host.js';
import { runOwnProgram } from '../processes/launch/child-process.js';
import type { StateFolder } from '../state/state-folder.js';
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

/** A folder of one process, which the next start removes when that process was killed. */
export interface OwnedFolder {
  readonly path: string;
  /** The time at which it was made, by the clock that file systems use. */
  readonly madeAtNs: bigint;
  /** Removes it with all that is in it, whatever modes a command has left there. */
  remove(): Promise<void>;
}

const OWNER = 'owner.json';
const SWEEP_LIMIT_MS = 500;

/** Makes a folder below `directory` and writes down whose it is, so that a later start knows when it is nobody's. */
export async function makeOwnedFolder(directory: string, id: string): Promise<OwnedFolder> {
  // The owner is known before there is a folder: a process killed meanwhile must not leave one that is nobody's.
  const owner = JSON.stringify({ v: 1, ...(await ownLease()) });
  const path = join(directory, id);
  const unmarked = nameOfOurs(path);
  mkdirSync(unmarked, { mode: 0o700 });
  try {
    writeFileSync(join(unmarked, OWNER), owner, { mode: 0o600 });
    renameSync(unmarked, path);
  } catch (error) {
    rmSync(join(unmarked, OWNER), { force: true });
    // The folder is removed by itself, not as a tree: that needs a descriptor, and maybe there is none.
    rmdirSync(unmarked);
    throw error;
  }
  const mark = join(path, OWNER);
  return { path, madeAtNs: statSync(mark, { bigint: true }).mtimeNs, remove: () => removeOwned(path) };
}

export interface Sweep {
  now: number;
  /** Default: half a second. What is left then is left to the next start: a flood must not hold up this one. */
  limitMs?: number;
  /** Called before a folder goes; false: it stays. */
  salvage?(path: string): boolean;
  /** Called when a folder can't be removed (the others still are) or a directory can't be listed. */
  onProblem?(error: unknown): void;
}

/** Removes the folders whose processes are dead. Returns how many. */
export async function sweepOwnedFolders(directory: string, sweep: Sweep): Promise<number> {
  let removed = 0;
  const begun = steadyNow();
  for (const name of fromAnywhere(namesIn(directory, sweep.onProblem))) {
    if (steadyNow() - begun > (sweep.limitMs ?? SWEEP_LIMIT_MS)) break;
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

/** A sweep begins at a random name: its time is limited, and folders that stay must not use it up each time. */
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

/** Spares a start the loading of the code that sweeps: most find nothing. A folder that can't be listed is not empty. */
export function isEmptyFolder(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch (error) {
    return isNodeError(error, 'ENOENT');
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

const LIMIT_MS = 60_000;

/** Removes a folder with all that is in it, whatever modes and depths a command has left there. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    if (!isNodeError(error, 'ENAMETOOLONG', 'EACCES', 'EPERM', 'ENOTEMPTY')) throw error;
    await removeStubborn(path);
  }
}

/** Folders that nobody may enter are opened, one after the other, before `find` would go into them. */
const script = `find "$1" -type d ! -perm -700 -exec chmod u+rwx {} \\; ; rm -rf -- "$1"`;

/** Node names every file by its whole path; these programs go from folder to folder and reach those too deep for that. */
async function removeStubborn(path: string): Promise<void> {
  const { failure } = await runOwnProgram('/bin/sh', ['-c', script, 'sh', path], { deadlineMs: LIMIT_MS });
  if (failure) throw failure;
}

/** Makes a folder for pipes, sockets and workspaces of a moment, whose names must be short. Its name tells its maker, so that it is found when that was killed. */
export function makeShortLivedFolder(): string {
  const { pid, namespace } = ownNamedLease();
  return mkdtempSync(join(tmpdir(), `toolwright-${pid}-${namespace}-`));
}

const NAME = /^toolwright-(\d+)-(\d+)-/;

/** Removes our folders whose makers are dead, as far as that is possible in a folder that others write to as well. */
export function removeShortLivedFolders(): void {
  for (const name of namesIn(tmpdir())) {
    if (!isOfDead(name)) continue;
    const path = join(tmpdir(), name);
    try {
      // The owner of a folder could put links into it while root removes what is inside.
      if (isOurs(lstatSync(path))) rmSync(path, { recursive: true, force: true });
    } catch {
      // The folder is not ours.
    }
  }
}

function isOfDead(name: string): boolean {
  const [, pid, namespace = ''] = NAME.exec(name) ?? [];
  return pid !== undefined && lifeOfNamed({ pid: Number(pid), namespace }) === 'dead';
}

/** True for the path of a short-lived folder whose maker is dead, whether or not it is still there. */
export function wasShortLived(path: string): boolean {
  const places = [tmpdir(), orNull(() => realpathSync(tmpdir()))];
  return places.includes(dirname(path)) && isOfDead(basename(path));
}

function isOurs(found: Stats): boolean {
  return found.isDirectory() && found.uid === (process.geteuid?.() ?? found.uid);
}

/** A folder that is not there has no names; one that can't be listed is a problem. */
function namesIn(folder: string, onProblem?: (error: unknown) => void): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (!isNodeError(error, 'ENOENT')) onProblem?.(error);
    return [];
  }
}

/** The folder that commands of one session find as /tmp. */
interface TemporaryFolder {
  /** Made when it is first asked for. */
  path(): Promise<string>;
  remove(): Promise<void>;
}

interface TemporaryFolderOptions {
  state: Pick<StateFolder, 'make'>;
  clock: Pick<Clock, 'now'>;
  /** The owning session's id. */
  owner: string;
}

export function createTemporaryFolder({ state, clock, owner }: TemporaryFolderOptions): TemporaryFolder {
  let made: Promise<OwnedFolder> | undefined;
  const make = async (): Promise<OwnedFolder> => {
    const folder = await state.make('cache', 'tmp');
    // A session that was killed could not remove its own.
    await sweepOwnedFolders(folder, { now: clock.now() });
    const mine = await makeOwnedFolder(folder, `${owner}-${process.pid}-${randomBytes(4).toString('hex')}`);
    // The owner is written beside this folder, where no command can change it.
    mkdirSync(insideOf(mine), { mode: 0o700 });
    return mine;
  };
  return {
    async path() {
      made ??= make();
      const mine = made;
      return insideOf(
        await mine.catch((error: unknown) => {
          // A disk may have room again by the next command.
          if (made === mine) made = undefined;
          throw error;
        }),
      );
    },
    async remove() {
      const folder = await made?.catch(() => undefined);
      made = undefined;
      await folder?.remove().catch(() => undefined);
    },
  };
}

function insideOf({ path }: OwnedFolder): string {
  return join(path, 'tmp');
}
