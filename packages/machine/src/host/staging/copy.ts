import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isNodeError } from '../../base/errors.js';
import { removeTree } from '../leases/owned-folder.js';
import type { StandIn } from '../processes/processes.js';
import { replaceFile } from '../state/replace-file.js';
import { isInside } from '../workspace.js';
import { type CopyMarks, copyTree } from './copy-trees.js';
import type { CommandLine } from './held-mounts.js';
import type { InsideOptions, Overlay, OverlayRoot } from './overlay.js';
import type { View, ViewOptions } from './view.js';

export interface CopyOptions extends Pick<ViewOptions, 'folder' | 'roots'> {
  /** The path by which a root is read: its own, or that in a view. */
  at?(path: string): string;
}

/** A plain copy for one command, where no overlay can be mounted. */
export async function prepareCopy(
  { folder, roots, at = (path) => path }: CopyOptions,
  signal: AbortSignal,
): Promise<Overlay> {
  const copied: OverlayRoot[] = [];
  for (const [index, lower] of roots.entries()) {
    const copy = copyFolder(folder, index);
    const marks = await copyTree(at(lower), copy, signal);
    copied.push({ lower, below: at(lower), upper: copy, merged: copy, marks });
  }
  const around = (command: CommandLine, inside: InsideOptions): CommandLine =>
    inside.confined ? command : startedIn(reached(copied, inside.directory), command);
  return {
    followsRenames: true,
    namespaces: [],
    standIns: standInsOf(copied),
    around,
    enter: around,
    hold: async () => copied,
    problem: (printed) => printed,
    release: () => undefined,
  };
}

/** The shell goes there, so that a folder which is only in the copy will do. */
function startedIn(directory: string, { program, args }: CommandLine): CommandLine {
  return {
    program: '/bin/sh',
    args: ['-c', 'cd "$1" && shift && exec "$@"', 'sh', directory, program, ...args],
  };
}

function reached(roots: readonly OverlayRoot[], path: string): string {
  const root = roots.find(({ lower }) => isInside(path, lower));
  return root ? join(root.merged, relative(root.lower, path)) : path;
}

function standInsOf(roots: readonly OverlayRoot[]): StandIn[] {
  return roots.map(({ lower, merged }) => ({ path: lower, from: merged }));
}

/** True where a folder holds a view that is a plain copy, if only one that was not made to its end. */
export function isCopyView(folder: string): boolean {
  return existsSync(copyFolder(folder, 0));
}

/** A lasting view that is a plain copy of the roots, made now unless the folder holds it already. */
export async function openCopyView(
  { folder, roots }: Pick<ViewOptions, 'folder' | 'roots'>,
  signal: AbortSignal,
): Promise<View> {
  const copied: OverlayRoot[] = [];
  for (const [index, lower] of roots.entries()) copied.push(await openCopy({ folder, index, lower }, signal));
  const at = (path: string): string => reached(copied, path);
  return {
    folder,
    way: 'copy',
    roots: copied,
    followsRenames: true,
    standIns: standInsOf(copied),
    at,
    enter: (launch) => ({ ...launch, directory: launch.isSandbox ? '/' : at(launch.directory) }),
    // A copy does not see what others do; it is merged when something is kept.
    refresh: async () => undefined,
    async clear(clearSignal) {
      for (const [index, { lower }] of copied.entries()) {
        // Without its marks a copy counts as not made.
        await removeTree(marksFile(folder, index));
        copied[index] = await openCopy({ folder, index, lower }, clearSignal);
      }
    },
    close: () => undefined,
  };
}

interface OneCopy {
  folder: string;
  index: number;
  lower: string;
}

async function openCopy({ folder, index, lower }: OneCopy, signal: AbortSignal): Promise<OverlayRoot> {
  const copy = copyFolder(folder, index);
  let marks = readMarks(folder, index);
  if (marks === null) {
    await removeTree(copy);
    marks = await copyTree(lower, copy, signal);
    await replaceFile(marksFile(folder, index), JSON.stringify([...marks]));
  }
  return { lower, below: lower, upper: copy, merged: copy, marks };
}

/** The copies in the folder of a view, for whoever only counts what was changed. */
export function copiesIn(folder: string): { merged: string; marks: CopyMarks }[] {
  const found: { merged: string; marks: CopyMarks }[] = [];
  for (let marks = readMarks(folder, 0); marks; marks = readMarks(folder, found.length))
    found.push({ merged: copyFolder(folder, found.length), marks });
  return found;
}

/** Null where the copy was not made, or not to its end. */
function readMarks(folder: string, index: number): CopyMarks | null {
  try {
    return new Map(JSON.parse(readFileSync(marksFile(folder, index), 'utf8')) as [string, string][]);
  } catch (error) {
    if (isNodeError(error, 'ENOENT')) return null;
    throw error;
  }
}

function copyFolder(folder: string, index: number): string {
  return join(folder, `copy-${index}`);
}

function marksFile(folder: string, index: number): string {
  return join(folder, `copied-${index}.json`);
}
