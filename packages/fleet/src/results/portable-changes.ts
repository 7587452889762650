import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { type ChangeSet, type FileChange, type PlannedChanges, SettingsError } from '@toolwright/core';

/** A change set that can be carried out on another machine: paths are relative, the bytes of new versions are inside. */
export interface PortableChanges {
  v: 1;
  changes: FileChange[];
  directories: ChangeSet['directories'];
  removedDirectories: ChangeSet['removedDirectories'];
  /** Base64 by hash. */
  blobs: Record<string, string>;
  /** The content that files had before, likewise, where it is small: with it changes can be merged with those of others. */
  bases?: Record<string, string>;
  /** A sentence for each change that was left out. */
  leftOut: string[];
}

/** The changes that a text of the store holds; throws where a newer program has written it. */
export function portableIn(text: string): PortableChanges {
  const changes = JSON.parse(text) as PortableChanges;
  if (changes.v === 1) return changes;
  throw new SettingsError('The changes of this task are of another version of toolwright; update this one.');
}

export interface LeavingOut {
  /** Why a change is no part of the result, or null. */
  why(path: string, bytes: Uint8Array | null): string | null;
}

/** The changes below a folder. */
export async function toPortable(
  planned: PlannedChanges,
  folder: string,
  { why }: LeavingOut,
): Promise<PortableChanges> {
  const { changeSet, blobs } = planned;
  const bases: Record<string, string> = {};
  const portable: PortableChanges = {
    v: 1,
    changes: [],
    directories: [],
    removedDirectories: [],
    blobs: {},
    bases,
    leftOut: [],
  };
  for (const change of changeSet.changes) {
    const path = relative(folder, change.path);
    const hash = hashAfter(change);
    const bytes = hash === null ? null : await blobs.read(hash);
    const base = await baseOf(change);
    const reason = isOutside(path)
      ? 'it is outside the workspace'
      : (why(change.path, bytes) ?? (base && why(change.path, base)));
    if (reason !== null) {
      if (reason !== '') portable.leftOut.push(`${path}: ${reason}`);
      continue;
    }
    portable.changes.push({ ...change, path: path.split(sep).join('/') });
    if (hash !== null) portable.blobs[hash] = Buffer.from(bytes!).toString('base64');
    if (base) bases[hashBefore(change)!] = base.toString('base64');
  }
  for (const list of ['directories', 'removedDirectories'] as const)
    portable[list] = changeSet[list]
      .map((directory) => ({ ...directory, path: relative(folder, directory.path) }))
      .filter(({ path }) => !isOutside(path) && why(join(folder, path), null) === null);
  return portable;
}

function hashAfter(change: FileChange): string | null {
  return 'after' in change && typeof change.after === 'object' ? change.after.hash : null;
}

/** The content that a change was made from, where it was a file. */
export function hashBefore(change: FileChange): string | null {
  if (!('before' in change) || typeof change.before !== 'object' || change.before === null) return null;
  return 'hash' in change.before ? change.before.hash : null;
}

const LARGEST_BASE = 1_000_000;

/** Null where it is large, or where the file is another one by now. */
async function baseOf(change: FileChange): Promise<Buffer | null> {
  const hash = hashBefore(change);
  if (hash === null) return null;
  try {
    if ((await stat(change.path)).size > LARGEST_BASE) return null;
    const bytes = await readFile(change.path);
    return createHash('sha256').update(bytes).digest('hex') === hash ? bytes : null;
  } catch {
    return null;
  }
}

/** The changes for a folder of this machine, to be committed there. */
export function fromPortable(portable: PortableChanges, folder: string, id: string): PlannedChanges {
  const here = (path: string): string => {
    if (isOutside(path)) throw new Error(`${path} leads out of the workspace`);
    return join(folder, path);
  };
  const changeSet: ChangeSet = {
    v: 1,
    id,
    changes: portable.changes.map((change) => ({ ...change, path: here(change.path) })),
    directories: portable.directories.map((directory) => ({ ...directory, path: here(directory.path) })),
    removedDirectories: portable.removedDirectories.map((directory) => ({
      ...directory,
      path: here(directory.path),
    })),
  };
  return {
    changeSet,
    diff: { kind: 'diff', files: [] },
    blobs: {
      async read(hash) {
        const text = portable.blobs[hash];
        if (text === undefined) throw new Error(`the change set has no content for ${hash}`);
        return Buffer.from(text, 'base64');
      },
    },
  };
}

function isOutside(path: string): boolean {
  return path === '..' || path.startsWith(`..${sep}`) || path.startsWith('../') || isAbsolute(path);
}
