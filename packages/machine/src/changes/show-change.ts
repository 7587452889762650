import type { FileDiff } from '../base/content.js';
import type { Files } from '../host/files/files.js';
import type { BeforeImages } from '../host/objects/before-images.js';
import type { ChangeSet, FileChange, FileVersion } from './change-set.js';
import { diffOfChanges } from './plan.js';

export interface ShowChangeOptions {
  files: Pick<Files, 'read'>;
  objects: Pick<BeforeImages, 'has' | 'read'>;
  show(path: string): string;
  signal: AbortSignal;
}

/** A committed change set, to be looked at later. */
export interface ShownChange {
  diff: FileDiff;
  /** The bytes of a file before or after the change; null where there were none, or where they are gone by now. */
  version(path: string, side: 'before' | 'after'): Promise<Uint8Array | null>;
}

const LARGEST_SHOWN_BYTES = 16 * 1024 * 1024;

/** Enough for tens of thousands of lines: whoever shows them draws only those in sight. */
const MOST_CHARACTERS = 8_000_000;

/** Earlier versions come from the store; what the change left comes from the store or is there still. */
export async function showChange(changeSet: ChangeSet, options: ShowChangeOptions): Promise<ShownChange> {
  const { show } = options;
  const read = (version: FileVersion, path: string) => bytesOf(version, path, options);
  return {
    diff: await diffOfChanges(changeSet.changes, {
      show,
      before: read,
      after: read,
      mostCharacters: MOST_CHARACTERS,
    }),
    async version(path, side) {
      const change = changeSet.changes.find((each) => each.path === path);
      const version = change && versionOf(change, side);
      return version ? read(version, path) : null;
    },
  };
}

function versionOf(change: FileChange, side: 'before' | 'after'): FileVersion | null {
  const version = side in change ? (change as { before?: unknown; after?: unknown })[side] : null;
  return typeof version === 'object' && version !== null && 'hash' in version
    ? (version as FileVersion)
    : null;
}

async function bytesOf(
  { hash, size }: FileVersion,
  path: string,
  { files, objects, signal }: ShowChangeOptions,
): Promise<Uint8Array | null> {
  if (size > LARGEST_SHOWN_BYTES) return null;
  if (await objects.has(hash)) return objects.read(hash);
  try {
    const present = await files.read(path, { signal });
    return present.hash === hash ? present.bytes : null;
  } catch {
    // Gone, replaced by a folder, or kept from us: there is nothing to show of it.
    return null;
  }
}
