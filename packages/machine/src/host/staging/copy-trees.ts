import {
  chmodSync,
  constants,
  copyFileSync,
  lchownSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { isNodeError, ToolError } from '../../base/errors.js';
import { isNearlyFull, spaceAt } from './space.js';
import {
  type BytePath,
  bytePath,
  canRead,
  cloneFile,
  createPace,
  entryAt,
  inside,
  namesAt,
  type TreeEntry,
} from './tree-entry.js';

/** The state of each entry of a copy when it was made, by its path below the root as a byte string (one character per byte). */
export type CopyMarks = Map<string, string>;

/** The price of a plain copy, told before it is made. */
export interface CopyCost {
  entries: number;
  bytes: number;
  /** The file system shares the blocks of a copy with the original, so that it takes almost no room. */
  sharesBlocks: boolean;
}

/** The limit of a copy: more entries would take minutes, before each command again. */
const MOST_ENTRIES = 100_000;

/** Looks at every entry, and throws a `ToolError` where there are too many or too little room is left at `folder`. */
export async function costOfCopy(
  roots: readonly string[],
  folder: string,
  signal: AbortSignal,
): Promise<CopyCost> {
  const pace = createPace(signal, MOST_ENTRIES, tooMany);
  const places = roots.map(bytePath);
  let [entries, bytes] = [0, 0];
  for (let place = places.pop(); place; place = places.pop()) {
    await pace();
    const entry = entryAt(place);
    entries += 1;
    if (entry?.kind === 'file') bytes += entry.size;
    if (entry?.kind !== 'directory') continue;
    for (const name of namesAt(place)?.values() ?? []) places.push(inside(place, name));
  }
  const sharesBlocks = roots.every((root) => canShareBlocks(root, folder));
  const { freeBytes, reserveBytes } = spaceAt(folder);
  if (!sharesBlocks && bytes > freeBytes - reserveBytes)
    throw new ToolError('failed', `a plain copy would fill the disk of ${folder}; make room there`);
  return { entries: entries - roots.length, bytes, sharesBlocks };
}

function tooMany(): ToolError {
  const most = MOST_ENTRIES.toLocaleString('en');
  return new ToolError('too_large', `a plain copy would take more than ${most} files`);
}

/** Tries with the first file that is not empty. */
function canShareBlocks(root: string, folder: string): boolean {
  const sample = firstFile(bytePath(root));
  if (sample === null) return false;
  const trial = join(folder, `trial-${process.pid}`);
  try {
    copyFileSync(sample, trial, constants.COPYFILE_FICLONE_FORCE | constants.COPYFILE_EXCL);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(trial, { force: true });
  }
}

function firstFile(root: BytePath): BytePath | null {
  for (const name of namesAt(root)?.values() ?? []) {
    const entry = entryAt(inside(root, name));
    if (entry?.kind === 'file' && entry.size > 0 && canRead(entry)) return entry.at;
  }
  return null;
}

/**
 * Copies a folder with everything in it: links as links, with modes, times and, for root, owners. Pipes, sockets, devices and
 * what may not be read are left out; nobody takes them for deleted, because they have no mark.
 */
export async function copyTree(from: string, to: string, signal: AbortSignal): Promise<CopyMarks> {
  const marks: CopyMarks = new Map();
  const copying: Copying = {
    marks,
    async pace() {
      await step();
      if (isNearlyFull(to)) throw new ToolError('failed', 'the disk ran full while the copy was made');
    },
  };
  const step = createPace(signal, MOST_ENTRIES, tooMany);
  const root = entryAt(inside(bytePath(from), bytePath('.')));
  if (root?.kind !== 'directory') throw new ToolError('failed', `${from} is not a folder`);
  mkdirSync(to, { mode: 0o700 });
  await copyFolder(copying, { entry: root, to: bytePath(to), below: '' });
  return marks;
}

interface Copying {
  marks: CopyMarks;
  pace(): Promise<void>;
}

interface CopiedFolder {
  entry: TreeEntry;
  to: BytePath;
  /** The path below the root, as in marks. */
  below: string;
}

async function copyFolder(copying: Copying, { entry, to, below }: CopiedFolder): Promise<void> {
  for (const [key, name] of namesAt(entry.at) ?? []) {
    await copying.pace();
    const [source, target] = [entryAt(inside(entry.at, name)), inside(to, name)];
    if (source === null) continue;
    const path = below === '' ? key : `${below}/${key}`;
    if (source.kind === 'directory') {
      mkdirSync(target, { mode: 0o700 });
      copying.marks.set(path, '');
      await copyFolder(copying, { entry: source, to: target, below: path });
    } else if (!(await copyLeaf(source, target))) continue;
    copying.marks.set(path, markOf(entryAt(target)!));
  }
  dress(entry, to);
}

/** False where it can't be copied. */
async function copyLeaf(source: TreeEntry, target: BytePath): Promise<boolean> {
  if (source.kind === 'symlink') {
    if (typeof source.target !== 'string') return false;
    symlinkSync(source.target, target);
  } else {
    if (source.kind !== 'file') return false;
    try {
      await cloneFile(source.at, target);
    } catch (error) {
      // An unreadable file is left out, since nobody can work on it; and a file may go while others are copied.
      if (isNodeError(error, 'EACCES', 'EPERM', 'ENOENT')) return false;
      throw error;
    }
  }
  dress(source, target);
  return true;
}

/** Gives a copy the owner, the mode and the time of the original. */
function dress(source: TreeEntry, target: BytePath): void {
  if (process.getuid?.() === 0) {
    const { uid, gid } = lstatSync(source.at);
    lchownSync(target, uid, gid);
  }
  if (source.kind !== 'symlink') chmodSync(target, source.mode);
  const seconds = Number(source.mtimeNs / 1_000n) / 1e6;
  lutimesSync(target, seconds, seconds);
}

/** Programs can't set the time of the last change, so an entry with the same mark is the same. A folder is what it holds. */
export function markOf({ kind, mode, inode, ctimeNs }: TreeEntry): string {
  return kind === 'directory' ? `folder ${mode}` : `${inode} ${ctimeNs}`;
}
