import { accessSync, constants, mkdirSync, readdirSync, type Stats, statSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { isNodeError, messageOf, SettingsError } from '../../base/errors.js';

export type Environment = Readonly<Record<string, string | undefined>>;

type StateSubfolder =
  | 'sessions'
  | 'mcp'
  | 'objects'
  | 'output'
  | 'jobs'
  | 'stage'
  | 'apart'
  | 'interrupted'
  | 'cache'
  | 'extensions'
  | 'skill-list'
  | 'import-offer'
  | 'live'
  | 'parked'
  | 'fleet'
  | 'log'
  | 'locks';

/** The folder in which Toolwright keeps what outlives a run. Nothing is created until something must be written. */
export interface StateFolder {
  /** Absolute. */
  readonly path: string;
  /** A path inside, whether or not it exists. */
  pathOf(...segments: string[]): string;
  /** False when there is no folder yet. Refuses one that belongs to someone else. */
  exists(): Promise<boolean>;
  /** Makes the folder, and a folder inside it, for the owner's eyes only. Returns its path. */
  make(subfolder?: StateSubfolder, ...segments: string[]): Promise<string>;
}

/** `$TOOLWRIGHT_HOME`, or `.toolwright` in the home directory. */
export function stateFolderPath(environment: Environment, home?: string): string {
  const chosen = environment['TOOLWRIGHT_HOME'];
  const inHome = (name: string) => join(home ?? homeDirectory(environment), name);
  if (chosen === undefined || chosen.trim() === '') return inHome('.toolwright');
  return resolve(chosen === '~' || chosen.startsWith('~/') ? inHome(chosen.slice(1)) : chosen);
}

export function homeDirectory(environment: Environment): string {
  const home = usableHome(environment);
  if (home !== undefined) return home;
  throw new SettingsError(
    `There is no usable home directory (HOME is ${JSON.stringify(environment['HOME'])}). Set HOME, or set TOOLWRIGHT_HOME to a folder of your own.`,
  );
}

/** The home directory, or undefined where there is none: not every program needs one. */
export function usableHome(environment: Environment): string | undefined {
  const home = environment['HOME'] || homedir();
  return isAbsolute(home) ? home : undefined;
}

/** The folder of our own state; nothing is made until something is written. */
export function openStateFolder(path: string): StateFolder {
  let verified: Promise<void> | undefined;

  async function exists(): Promise<boolean> {
    const found = statOrNull(path);
    if (found === null) return false;
    await (verified ??= verify(path, found).catch((error: unknown) => {
      verified = undefined;
      throw error;
    }));
    return true;
  }

  return {
    path,
    pathOf: (...segments) => join(path, ...segments),
    exists,
    async make(subfolder, ...segments) {
      try {
        if (!(await exists())) await makeFolder(path);
        if (!(await exists())) throw new Error('it vanished while it was made');
        const target = join(path, ...(subfolder ? [subfolder, ...segments] : []));
        if (target !== path) await makeFolder(target);
        accessSync(target, constants.W_OK);
        return target;
      } catch (error) {
        throw error instanceof SettingsError ? error : troubleIn(path, error);
      }
    },
  };
}

function statOrNull(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    throw troubleIn(path, error);
  }
}

async function verify(path: string, found: Stats): Promise<void> {
  if (!found.isDirectory()) throw unusable(path, 'it is not a folder');
  const user = process.geteuid?.();
  if (user !== undefined && found.uid !== user) {
    throw unusable(
      path,
      `it belongs to user ${found.uid}, and this is user ${user}${user === 0 ? ' (sudo?)' : ''}`,
    );
  }
  if (process.platform === 'win32' || (Number(found.mode) & 0o077) === 0) return;
  if ((Number(found.mode) & 0o022) !== 0) refuseWhatOthersPut(path, user);
  try {
    await chmod(path, 0o700);
  } catch (error) {
    throw unusable(path, `others may enter it, and that can't be changed (${messageOf(error)})`);
  }
}

/** Settings, tools and answers of the user are believed, so none may come from somebody else who could write there. */
function refuseWhatOthersPut(path: string, user: number | undefined): void {
  for (const name of readdirSync(path)) {
    const owner = statSync(join(path, name), { throwIfNoEntry: false })?.uid ?? user;
    if (owner === user || owner === 0) continue;
    throw unusable(
      path,
      `others may write there, and ${name} belongs to user ${owner}`,
      'Look at it, remove what is not yours',
    );
  }
}

function describe(error: unknown): string {
  if (isNodeError(error, 'EACCES', 'EPERM')) return 'it is not writable for you';
  if (isNodeError(error, 'EROFS')) return 'it is on a read-only file system';
  if (isNodeError(error, 'ENOSPC', 'EDQUOT')) return 'the disk is full';
  if (isNodeError(error, 'ENOTDIR', 'EEXIST')) return 'a file is in the way';
  return messageOf(error);
}

function unusable(path: string, reason: string, remedy = 'Change its owner or mode'): SettingsError {
  return new SettingsError(
    `The state folder ${path} can't be used: ${reason}. ${remedy}, or set TOOLWRIGHT_HOME to a folder of your own.`,
  );
}

/** A refusal of the system as a message to whoever can change it. */
export function troubleIn(path: string, error: unknown): SettingsError {
  const isFull = isNodeError(error, 'ENOSPC', 'EDQUOT');
  return unusable(path, describe(error), isFull ? 'Make room there' : undefined);
}

/** Does something with a file of the state folder; what the system refuses is told as trouble with the folder. */
export async function inStateFolder<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const isRefusal = isNodeError(error) && typeof error.errno === 'number';
    throw isRefusal ? troubleIn(path, error) : error;
  }
}

/**
 * Makes a folder and those above it. Node's own recursive mkdir never returns where the system answers ENOENT
 * although the parent exists, as `/proc` does.
 */
export async function makeFolder(path: string, mode = 0o700): Promise<void> {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (isNodeError(error, 'EEXIST') && statSync(path).isDirectory()) return;
    const parent = dirname(path);
    if (!isNodeError(error, 'ENOENT') || parent === path) throw error;
    await makeFolder(parent, mode);
    makeUnlessThere(path, mode);
  }
}

function makeUnlessThere(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (!isNodeError(error, 'EEXIST')) throw error;
  }
}
