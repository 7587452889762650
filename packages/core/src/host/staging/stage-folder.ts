import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isNodeError } from '../../base/errors.js';
import { isJsonObject } from '../../base/json.js';
import { execFile } from '../processes/launch/child-process.js';
import { isInUse, lifeOf, ownIdentity, type ProcessIdentity } from '../state/process-identity.js';
import { type BytePath, bytePath, inside } from './byte-paths.js';

/** A folder for one run that is made apart. */
export interface StageFolder {
  readonly path: string;
  /** When it was made, by the clock that file systems use. */
  readonly madeAtNs: bigint;
  /** Removes it with all that is in it, whatever modes a command has left there. */
  remove(): Promise<void>;
}

const OWNER = 'owner.json';
const REMOVE_LIMIT_MS = 60_000;
/** A process that can't be looked at (another machine, another container) counts as alive for so long. */
const TRUSTED_SILENCE_MS = 24 * 60 * 60 * 1000;

/** Makes a folder below `directory` and writes down whose it is, so that a later start knows when it is nobody's. */
export async function makeStageFolder(directory: string, id: string): Promise<StageFolder> {
  // Asked before there is a folder: whoever is killed while asking must not leave one that is nobody's.
  const owner = JSON.stringify({ v: 1, ...(await ownIdentity()) });
  const path = join(directory, id);
  const unmarked = nameOfOurs(path);
  mkdirSync(unmarked, { recursive: true, mode: 0o700 });
  writeFileSync(join(unmarked, OWNER), owner, { mode: 0o600 });
  renameSync(unmarked, path);
  const mark = join(path, OWNER);
  return { path, madeAtNs: statSync(mark, { bigint: true }).mtimeNs, remove: () => removeTree(path) };
}

export interface Sweep {
  now: number;
  /** Called before a folder goes; false: it stays. */
  salvage?(path: string): boolean;
  /** One that can't be removed is no reason to leave the others. */
  onProblem?(error: unknown): void;
}

/** Removes the folders whose processes are dead. Returns how many. */
export async function sweepStageFolders(directory: string, sweep: Sweep): Promise<number> {
  let removed = 0;
  for (const name of namesIn(directory)) {
    const path = join(directory, name);
    if (!(await isAbandoned(path, sweep.now))) continue;
    try {
      if (sweep.salvage?.(path) === false) continue;
      await removeTree(path);
      removed += 1;
    } catch (error) {
      sweep.onProblem?.(error);
    }
  }
  return removed;
}

async function isAbandoned(path: string, now: number): Promise<boolean> {
  const owner = ownerOf(path);
  const life = owner ? await lifeOf(owner) : lifeOfNamedOwner(path);
  if (life !== 'unknown') return life === 'dead';
  const touched = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now;
  return now - touched > TRUSTED_SILENCE_MS;
}

const NAMED_OWNER = /\.of-(\d+)$/;

/** A folder that doesn't say yet, or no longer, whose it is says it by its name: it is being made or removed by that process. */
function nameOfOurs(path: string): string {
  return `${path.replace(NAMED_OWNER, '')}.of-${process.pid}`;
}

function lifeOfNamedOwner(path: string): 'dead' | 'unknown' {
  const [, pid] = NAMED_OWNER.exec(path) ?? [];
  return pid === undefined || isInUse(Number(pid)) ? 'unknown' : 'dead';
}

function ownerOf(path: string): ProcessIdentity | null {
  try {
    const value: unknown = JSON.parse(readFileSync(join(path, OWNER), 'utf8'));
    return isJsonObject(value) && typeof value['pid'] === 'number'
      ? (value as unknown as ProcessIdentity)
      : null;
  } catch {
    return null;
  }
}

function namesIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}

/** Overlays leave a folder that nobody may enter, and commands may do so too: doors are opened where needed. */
async function removeTree(folder: string): Promise<void> {
  const path = renamedToOurs(folder);
  try {
    // A few calls at once are faster than as many trips through the thread pool; thousands would hold up everything else.
    if (isSmall(path)) rmSync(path, { recursive: true, force: true });
    else await rm(path, { recursive: true, force: true });
  } catch (error) {
    // Node names every file by its whole path; `rm` goes from folder to folder and reaches those too deep for that.
    if (isNodeError(error, 'ENAMETOOLONG')) return removeDeepTree(path);
    if (!isNodeError(error, 'EACCES', 'EPERM', 'ENOTEMPTY')) throw error;
    openFolders(bytePath(path));
    await rm(path, { recursive: true, force: true });
  }
}

async function removeDeepTree(path: string): Promise<void> {
  const options = { timeout: REMOVE_LIMIT_MS, env: { PATH: '/usr/bin:/bin' } };
  await new Promise<void>((resolve, reject) => {
    execFile('rm', ['-rf', '--', path], options, (error) => (error ? reject(error) : resolve()));
  });
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

function isSmall(path: string): boolean {
  return namesIn(path).every((name) => !name.startsWith('upper-') || namesIn(join(path, name)).length === 0);
}

function openFolders(path: BytePath): void {
  chmodSync(path, 0o700);
  for (const entry of readdirSync(path, { withFileTypes: true, encoding: 'buffer' })) {
    if (entry.isDirectory()) openFolders(inside(path, entry.name));
  }
}
