import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { TakenFiles, type TreeFile, type TreeLimits, usualTreeLimits } from '../../base/archives/archive.js';
import { readSmallFile } from '../state/read-file.js';

/** A folder's files, as they can be copied, and what was left out. */
export interface ReadTree {
  files: TreeFile[];
  /** Links to folders, by path. */
  leftOut: string[];
}

interface TreeWalk {
  root: string;
  taken: TakenFiles;
  leftOut: string[];
  signal: AbortSignal;
}

const LEFT = ['.git', '.hg', '.svn'];

/** Reads what is below a folder. A link to a file inside counts as that file; one that leads out is refused. */
export async function readTree(
  folder: string,
  signal: AbortSignal,
  limits: TreeLimits = usualTreeLimits,
): Promise<ReadTree> {
  const walk: TreeWalk = {
    root: realpathSync.native(folder),
    taken: new TakenFiles(folder, limits),
    leftOut: [],
    signal,
  };
  await readFolder(walk.root, walk);
  return { files: walk.taken.files, leftOut: walk.leftOut };
}

async function readFolder(folder: string, walk: TreeWalk): Promise<void> {
  for (const name of readdirSync(folder).sort()) {
    walk.signal.throwIfAborted();
    if (folder === walk.root && LEFT.includes(name)) continue;
    const path = join(folder, name);
    const found = lstatSync(path);
    if (found.isDirectory()) await readFolder(path, walk);
    else await readOne(path, { walk, isLink: found.isSymbolicLink(), isFile: found.isFile() });
  }
}

async function readOne(
  path: string,
  { walk, isLink, isFile }: { walk: TreeWalk; isLink: boolean; isFile: boolean },
): Promise<void> {
  const { root, taken, leftOut } = walk;
  const shown = relative(root, path).split(sep).join('/');
  const real = isLink ? realOrNull(path) : path;
  if (real === null || !real.startsWith(`${root}${sep}`))
    throw taken.refusal(`${shown} is a link that leads out of the folder`);
  const target = lstatSync(real);
  if (isLink && target.isDirectory()) {
    leftOut.push(shown);
    return;
  }
  if (!isFile && !target.isFile()) throw taken.refusal(`${shown} is not a regular file`);
  if (target.size > taken.room) throw taken.tooLarge();
  const bytes = (await readSmallFile(real, Math.max(1, taken.room))) ?? new Uint8Array();
  taken.add({ path: shown, bytes, isProgram: (target.mode & 0o111) !== 0 });
}

function realOrNull(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}
