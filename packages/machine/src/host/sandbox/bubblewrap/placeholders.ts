import { randomBytes } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isNodeError, orNull } from '../../../base/errors.js';
import { isJsonObject } from '../../../base/json.js';
import { type Lease, lifeOf, ownLease, readLease } from '../../leases/lease.js';
import { here, type Place } from '../../plain-files/place.js';
import type { StateFolder } from '../../state/state-folder.js';
import { isInside } from '../../workspace.js';
import type { Placeholder } from '../mounts/protected-paths.js';
import type { OutsidePlace } from '../sandbox.js';

/**
 * Missing protected paths exist as empty files or folders while a sandbox runs, because a mount needs a mount point.
 * Each run notes the ones it needs, so that the last one removes them, and a later start removes what a killed run has
 * left. Those in a view can be removed only by a session that sees it.
 */
export interface Placeholders {
  /** `watched` are all protected paths: an existing one may be a placeholder of another run, and is then held too. */
  hold(missing: readonly Placeholder[], watched: readonly Placeholder[]): Promise<() => void>;
  /** Removes placeholders of processes that are gone. */
  sweep(): Promise<void>;
}

interface Note {
  file: string;
  owner: Lease;
  /** The folder of the view they lie in; null for the workspace itself. */
  view: string | null;
  paths: string[];
}

const inCache = ['cache', 'sandbox', 'placeholders'] as const;

/** The paths that runs hold now, or that killed ones have left, in one view. */
export function heldPlaceholders(state: Pick<StateFolder, 'pathOf'>, view: string): ReadonlySet<string> {
  return pathsOf(notesOf(view, state.pathOf(...inCache)));
}

function notesOf(view: string | null, folder: string): Note[] {
  return readNotes(folder).filter((note) => note.view === view);
}

function pathsOf(notes: readonly Note[]): Set<string> {
  return new Set(notes.flatMap(({ paths }) => paths));
}

export function createPlaceholders(state: StateFolder, place = here): Placeholders {
  const folder = state.pathOf(...inCache);

  /** The place may be another one by now, so the caller tells how the paths are reached. */
  function letGo({ file, view, paths }: Note, at: Place['at']): void {
    rmSync(file, { force: true });
    const needed = pathsOf(notesOf(view, folder));
    for (const path of paths) if (!needed.has(path)) removeEmpty(at(path));
  }

  return {
    async hold(missing, watched) {
      const view = place.viewFolder();
      const others = pathsOf(notesOf(view, folder));
      const needed = [...missing, ...watched.filter(({ path }) => others.has(path))];
      const reached = new Map(needed.map(({ path }) => [path, place.at(path)]));
      const at = (path: string): string => reached.get(path) ?? path;
      const paths = [...reached.keys()];
      if (paths.length === 0) return () => undefined;
      await state.make(...inCache);
      const owner = await ownLease();
      const file = join(folder, `${process.pid}-${randomBytes(6).toString('hex')}.json`);
      writeFileSync(file, JSON.stringify({ v: 1, owner, view, paths }), { flag: 'wx', mode: 0o600 });
      const note = { file, owner, view, paths };
      try {
        // Placeholders of other runs too: the other may have ended and removed them before this run was noted.
        for (const { path, kind } of needed) make({ path: at(path), kind });
      } catch (error) {
        letGo(note, at);
        throw error;
      }
      return () => letGo(note, at);
    },
    async sweep() {
      const current = place.viewFolder();
      for (const note of readNotes(folder)) {
        if ((await lifeOf(note.owner)) !== 'dead') continue;
        if (note.view === current) letGo(note, place.at);
        else if (note.view !== null && !existsSync(note.view)) rmSync(note.file, { force: true });
      }
    },
  };
}

function readNotes(folder: string): Note[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if (isNodeError(error, 'ENOENT')) return [];
    throw error;
  }
  return names.flatMap((name) => readNote(join(folder, name)) ?? []);
}

/** Null for a note that was just removed, or left half written by a crash. */
function readNote(file: string): Note | null {
  try {
    const note: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const owner = isJsonObject(note) ? readLease(note['owner']) : null;
    if (!owner || !isJsonObject(note) || !Array.isArray(note['paths'])) return null;
    const view = typeof note['view'] === 'string' ? note['view'] : null;
    return { file, owner, view, paths: note['paths'].filter((path) => typeof path === 'string') };
  } catch {
    return null;
  }
}

function make({ path, kind }: Placeholder): void {
  try {
    if (kind === 'folder') mkdirSync(path, { mode: 0o755 });
    else writeFileSync(path, '', { flag: 'wx', mode: 0o644 });
  } catch (error) {
    if (!isNodeError(error, 'EEXIST')) throw error;
  }
}

/** Removes the placeholder only if it is still empty. */
function removeEmpty(path: string): void {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) rmdirSync(path);
    else if (found?.isFile() && found.size === 0) unlinkSync(path);
  } catch (error) {
    if (!isNodeError(error)) throw error;
  }
}

/**
 * Remembers the files at some paths; the returned function lists paths that hold something else now. A mount holds a
 * file, not its name: whoever replaces the file from outside takes the mount away with it.
 */
export function watchForReplaced(paths: readonly string[], place = here): () => string[] {
  const before = new Map(paths.map((path) => [path, identityOf(place.at(path))]));
  return () =>
    paths.filter((path) => {
      const now = identityOf(place.at(path));
      return now !== null && now !== before.get(path);
    });
}

/** Includes the creation time: the inode number of a removed file is soon reused. */
function identityOf(path: string): string | null {
  const found = orNull(() => lstatSync(path, { bigint: true }));
  return found && `${found.dev}:${found.ino}:${found.birthtimeNs}`;
}

/** Makes missing folders that a program may write. `release` removes those that stayed empty. */
export function makeMissingFolders(places: readonly OutsidePlace[] = []): { release(): void } {
  const made: string[] = [];
  const release = (): void => {
    for (const path of made) {
      try {
        rmdirSync(path);
      } catch {
        // The placeholder is not empty, or gone.
      }
    }
  };
  try {
    for (const { real } of places.filter(({ kind }) => kind === 'missing-folder')) {
      const first = mkdirSync(real, { recursive: true, mode: 0o700 });
      // Missing folders above it are removed after it.
      for (let path = real; first !== undefined && isInside(path, first); path = dirname(path))
        made.push(path);
    }
  } catch (error) {
    release();
    throw error;
  }
  return { release };
}
