import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { isJsonObject } from '../../base/json.js';
import { isInside } from '../workspace.js';
import {
  asText,
  type BytePath,
  bytePath,
  cloneFile,
  type Difference,
  entryAt,
  inside,
  namesAt,
  readable,
  type TreeDifferences,
  type TreeEntry,
} from './tree-entry.js';

/** Bounds on the copies made before a command runs. */
export interface SnapshotLimits {
  entries: number;
  copies: number;
  bytes: number;
}

const snapshotLimits: SnapshotLimits = { entries: 200_000, copies: 20_000, bytes: 256 * 1024 * 1024 };

export interface SnapshotOptions {
  roots: readonly string[];
  /** A folder inside a root that is left out: our own. */
  except: string;
  /** Folder for the copies. */
  folder: string;
  signal: AbortSignal;
  limits?: SnapshotLimits;
}

/** Files as they were, the content of those that could be copied included. */
export interface Snapshot {
  entries: Map<string, TreeEntry>;
  /** Files whose content was not copied. */
  uncopied: Set<string>;
  /** True if there were more files than can be watched. */
  isPartial: boolean;
}

export async function takeSnapshot(options: SnapshotOptions): Promise<Snapshot> {
  const { folder, limits = snapshotLimits, signal } = options;
  const { entries, isPartial } = await listTrees(options);
  const uncopied = new Set<string>();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const copied = new Map<string, TreeEntry>();
  let [copies, bytes] = [0, 0];
  for (const [path, entry] of likeliestFirst(entries)) {
    signal.throwIfAborted();
    const fits = copies < limits.copies && bytes + entry.size <= limits.bytes;
    const copy = join(folder, String(copies));
    if (!fits || !(await tryClone(entry.at, copy))) {
      uncopied.add(path);
      continue;
    }
    copied.set(path, { ...entry, at: bytePath(copy) });
    copies += 1;
    bytes += entry.size;
  }
  for (const [path, entry] of copied) entries.set(path, entry);
  listCopies(folder, options.roots, copied);
  return { entries, uncopied, isPartial };
}

/** Differences between the roots and their snapshot. A file counts as touched when anything but its access time differs. */
export async function compareSnapshot(
  snapshot: Snapshot,
  options: SnapshotOptions,
): Promise<TreeDifferences & { uncopied: Difference[] }> {
  const { entries, unusable } = await listTrees(options);
  const differences: Difference[] = [];
  const uncopied: Difference[] = [];
  for (const path of new Set([...snapshot.entries.keys(), ...entries.keys()])) {
    const [before, after] = [snapshot.entries.get(path) ?? null, entries.get(path) ?? null];
    if (before && after && isUntouched(before, after)) continue;
    if (!snapshot.uncopied.has(path)) differences.push({ path, before, after });
    else if (before && after && isSameContent(before, after)) {
      differences.push({ path, before: { ...before, at: after.at }, after });
    } else uncopied.push({ path, before, after });
  }
  return { differences, unusable, uncopied };
}

function isUntouched(before: TreeEntry, after: TreeEntry): boolean {
  if (before.kind === 'directory' && after.kind === 'directory') return before.mode === after.mode;
  return isSameContent(before, after) && before.ctimeNs === after.ctimeNs && before.mode === after.mode;
}

function isSameContent(before: TreeEntry, after: TreeEntry): boolean {
  return (
    before.kind === after.kind &&
    before.inode === after.inode &&
    before.size === after.size &&
    before.mtimeNs === after.mtimeNs
  );
}

/** Files that can be fetched or built again come last. */
function likeliestFirst(entries: ReadonlyMap<string, TreeEntry>): [string, TreeEntry][] {
  const files = [...entries].filter(([, { kind }]) => kind === 'file');
  const rank = (path: string) => (/\/(node_modules|\.git\/objects|target|\.venv)\//.test(path) ? 1 : 0);
  return files.sort(([left, a], [right, b]) => rank(left) - rank(right) || a.size - b.size);
}

async function tryClone(from: BytePath, to: string): Promise<boolean> {
  try {
    await cloneFile(from, to);
    return true;
  } catch {
    return false;
  }
}

/** Folders of the kernel: nothing in them is a file that could be undone. */
const foldersOfTheKernel = new Set(['/proc', '/sys', '/dev']);

async function listTrees({ roots, except, signal, limits = snapshotLimits }: SnapshotOptions): Promise<{
  entries: Map<string, TreeEntry>;
  unusable: TreeDifferences['unusable'];
  isPartial: boolean;
}> {
  const entries = new Map<string, TreeEntry>();
  const unusable: TreeDifferences['unusable'] = [];
  const folders = [...roots];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    signal.throwIfAborted();
    await new Promise((resolve) => setImmediate(resolve));
    for (const name of namesAt(bytePath(folder))?.values() ?? []) {
      const text = asText(name);
      const path = join(folder, text ?? readable(name));
      const entry = text === null ? null : entryAt(inside(bytePath(folder), name));
      if (text === null) unusable.push({ path, why: 'its name is not UTF-8' });
      if (!entry || isInside(path, except)) continue;
      if (entries.size >= limits.entries) return { entries, unusable, isPartial: true };
      entries.set(path, entry);
      if (entry.kind === 'directory' && !foldersOfTheKernel.has(path)) folders.push(path);
    }
  }
  return { entries, unusable, isPartial: false };
}

/** Stands beside the copies that were made before a command ran in the workspace itself. */
const LIST = 'copies.json';
/** A workspace that nobody comes back to. */
const FORGOTTEN_MS = 30 * 24 * 60 * 60 * 1000;

interface Copies {
  v: 1;
  roots: string[];
  /** Path, name of the copy, size and time of the last change. */
  files: [path: string, copy: string, size: number, mtimeNs: string][];
}

/** Lists the copies, so that the next start can put them in reach of the user if we are killed while the command runs. */
function listCopies(folder: string, roots: readonly string[], copied: ReadonlyMap<string, TreeEntry>): void {
  const files = [...copied].map(([path, { at, size, mtimeNs }]): Copies['files'][number] => [
    path,
    basename(at.toString()),
    size,
    String(mtimeNs),
  ]);
  writeFileSync(join(folder, LIST), JSON.stringify({ v: 1, roots: [...roots], files } satisfies Copies), {
    mode: 0o600,
  });
}

/**
 * Copies of files that are gone or different since, put where the user finds them by their names: nobody knows any more
 * whether it was the command or the user who changed them. Null for the copies of another workspace.
 */
export function salvageCopies(
  folder: string,
  { roots, target, now }: { roots: readonly string[]; target: string; now: number },
): string[] | null {
  const copies = copiesIn(folder);
  if (copies === null) return [];
  if (copies.roots.join('\0') !== roots.join('\0'))
    return now - statSync(folder).mtimeMs > FORGOTTEN_MS ? [] : null;
  const saved: string[] = [];
  for (const [path, copy, size, mtimeNs] of copies.files) {
    const present = entryAt(bytePath(path));
    if (present && present.size === size && String(present.mtimeNs) === mtimeNs) continue;
    const root = roots.findLast((each) => isInside(path, each));
    if (root === undefined || !existsSync(join(folder, copy))) continue;
    const place = join(target, relative(root, path));
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
    copyFileSync(join(folder, copy), place);
    saved.push(path);
  }
  return saved;
}

function copiesIn(folder: string): Copies | null {
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, LIST), 'utf8'));
    return isJsonObject(value) && Array.isArray(value['files']) && Array.isArray(value['roots'])
      ? (value as unknown as Copies)
      : null;
  } catch {
    return null;
  }
}
