import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ToolError } from '../../base/errors.js';
import type { OverlayRoot } from './overlay.js';
import {
  asText,
  type BytePath,
  bytePath,
  cloneFile,
  createPace,
  entryAt,
  inside,
  namesAt,
  readable,
  type TreeDifferences,
  type TreeEntry,
} from './tree-entry.js';

export interface CompareOptions {
  /** A renamed folder shows its old content under its new name. */
  followsRenames: boolean;
  /** Most places to look at; default: 200,000. */
  most?: number;
  signal: AbortSignal;
}

const MOST_PLACES = 200_000;

/**
 * Changes of a command to a root, found by listing the folders that have something in the upper layer, and only those,
 * in the root and as the commands saw them. That answers alone for what the kernel marks in ways that can't be
 * read from here: deleted files, folders that hide what was below them, renamed folders.
 */
export async function compareTrees(root: OverlayRoot, options: CompareOptions): Promise<TreeDifferences> {
  const found: TreeDifferences = { differences: [], unusable: [] };
  const { most = MOST_PLACES } = options;
  const comparison: Comparison = {
    ...options,
    found,
    pace: createPace(options.signal, most, () => tooMany(most)),
  };
  const { marks } = root;
  if (marks) {
    const { compareCopy } = await import('./compare-copy.js');
    return compareCopy({ ...root, marks }, comparison.pace);
  }
  const place: TreePlace = {
    path: root.lower,
    lower: bytePath(root.below),
    merged: bytePath(root.merged),
    upper: bytePath(root.upper),
    mayBeRenamed: false,
  };
  // A name inside is used: the path of a view's root is itself a link.
  const [before, after] = [place.lower, place.merged].map((top) => entryAt(inside(top, bytePath('.'))));
  if (before && after && (before.mode & 0o777) !== (after.mode & 0o777)) {
    found.unusable.push({ path: root.lower, why: 'the folder of the workspace itself keeps its mode' });
  }
  if (namesAt(bytePath(root.upper))?.size !== 0) await compareFolder(comparison, place);
  return found;
}

interface Comparison extends CompareOptions {
  found: TreeDifferences;
  pace(): Promise<void>;
}

interface TreePlace {
  path: string;
  lower: BytePath;
  merged: BytePath;
  /** Null below a renamed folder, where nothing was changed. */
  upper: BytePath | null;
  /** The folder's content may come from a folder that had another name. */
  mayBeRenamed: boolean;
}

async function compareFolder(comparison: Comparison, place: TreePlace): Promise<void> {
  const [lower, merged] = [namesAt(place.lower), namesAt(place.merged)];
  const upper = place.upper && namesAt(place.upper);
  if (!lower || !merged || (place.upper && !upper)) {
    comparison.found.unusable.push({ path: place.path, why: CLOSED });
    return;
  }
  for (const [key, name] of new Map([...lower, ...merged])) {
    await comparison.pace();
    const isInBoth = lower.has(key) && merged.has(key);
    const isTouched = upper?.has(key) ?? false;
    if (isInBoth && !isTouched && !place.mayBeRenamed) continue;
    const text = asText(name);
    if (text === null)
      comparison.found.unusable.push({ path: `${place.path}/${readable(name)}`, why: NOT_UTF8 });
    else await compareEntry(comparison, placeIn(place, name, text), isTouched);
  }
}

function placeIn({ path, lower, merged, upper }: TreePlace, name: BytePath, text: string): TreePlace {
  return {
    path: path === '/' ? `/${text}` : `${path}/${text}`,
    lower: inside(lower, name),
    merged: inside(merged, name),
    upper: upper && inside(upper, name),
    mayBeRenamed: false,
  };
}

async function compareEntry(comparison: Comparison, place: TreePlace, isTouched: boolean): Promise<void> {
  const { differences } = comparison.found;
  const { path } = place;
  const [before, after] = [entryAt(place.lower), entryAt(place.merged)];
  if (before?.kind === 'directory' && after?.kind === 'directory') {
    // On one file system, which renaming needs, what comes from below keeps its number.
    const mayBeRenamed = comparison.followsRenames && before.inode !== after.inode;
    if (!isTouched && !mayBeRenamed) return;
    if ((before.mode & 0o777) !== (after.mode & 0o777)) differences.push({ path, before, after });
    await compareFolder(comparison, { ...place, mayBeRenamed, upper: isTouched ? place.upper : null });
    return;
  }
  if (!isTouched && before && after && before.inode === after.inode) return;
  if (before || after) differences.push({ path, before, after });
  await listBelow(comparison, { path, entry: before, side: 'before' });
  await listBelow(comparison, { path, entry: after, side: 'after' });
}

interface OneSided {
  path: string;
  entry: TreeEntry | null;
  side: 'before' | 'after';
}

/** Everything inside a folder that only one of the trees has. */
async function listBelow(comparison: Comparison, { path, entry, side }: OneSided): Promise<void> {
  if (entry?.kind !== 'directory') return;
  const { differences, unusable } = comparison.found;
  const names = namesAt(entry.at);
  if (!names) unusable.push({ path, why: CLOSED });
  for (const name of names?.values() ?? []) {
    await comparison.pace();
    const text = asText(name);
    const found = text === null ? null : entryAt(inside(entry.at, name));
    if (text === null) unusable.push({ path: `${path}/${readable(name)}`, why: NOT_UTF8 });
    if (!found) continue;
    const below = `${path}/${text}`;
    differences.push(
      side === 'before'
        ? { path: below, before: found, after: null }
        : { path: below, before: null, after: found },
    );
    await listBelow(comparison, { path: below, entry: found, side });
  }
}

const NOT_UTF8 = 'its name is not UTF-8, so it was left as it was';
const CLOSED = 'the folder may not be read, so what happened inside was left out';

function tooMany(most: number): ToolError {
  return new ToolError(
    'too_large',
    `The command touched more than ${most.toLocaleString('en')} files, more than can be looked at; none of it was kept. Let it do less at a time.`,
  );
}

/**
 * Places where new contents can be read once the overlay is gone: in its upper layer. What is not there, because its folder
 * was renamed and it came along unchanged, is copied to `folder` while the overlay still shows it.
 */
export async function settleContents(
  contents: ReadonlyMap<string, TreeEntry>,
  { roots, folder }: { roots: readonly OverlayRoot[]; folder: string },
): Promise<Map<string, TreeEntry>> {
  const settled = new Map<string, TreeEntry>();
  for (const [hash, entry] of contents) settled.set(hash, await settle(entry, join(folder, hash), roots));
  return settled;
}

async function settle(entry: TreeEntry, name: string, roots: readonly OverlayRoot[]): Promise<TreeEntry> {
  for (const { merged, upper } of roots) {
    const prefix = bytePath(`${merged}/`);
    if (!entry.at.subarray(0, prefix.length).equals(prefix)) continue;
    const at = inside(bytePath(upper), entry.at.subarray(prefix.length));
    if (existsSync(at)) return { ...entry, at };
  }
  mkdirSync(join(name, '..'), { recursive: true, mode: 0o700 });
  await cloneFile(entry.at, name);
  return { ...entry, at: bytePath(name) };
}
