import {
  type BigIntStats,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
} from 'node:fs';
import { join, parse, sep } from 'node:path';
import { isNodeError, ToolError } from '../../base/errors.js';
import { here, type Place } from '../plain-files/place.js';
import { isInside } from '../workspace.js';

/** A directory that was checked once. A descriptor or a second check keeps that check true while it is used. */
export interface HeldDirectory {
  /** The path, with no link on it. */
  readonly realPath: string;
  /**
   * A path for file system calls that names an entry of this directory; with an empty name, a path to append one to.
   */
  at(name: string): string;
  close(): void;
}

/** An entry and the file that was seen there. */
interface NamedEntry {
  name: string;
  stat: Pick<BigIntStats, 'dev' | 'ino'>;
}

type Entered = HeldDirectory | 'link' | 'missing' | 'not-directory';

/** Walks paths without following links unseen, in the way of one operating system. */
export interface DirectoryAccess {
  /** The top of an absolute path: `/`, or a drive. */
  top(path: string): HeldDirectory;
  /** Enters a subdirectory, never through a link. */
  enter(parent: HeldDirectory, name: string): Entered;
  /** A short cut to a directory that lies exactly at this path, without links; null if that can't be shown. */
  holdExactly(path: string): HeldDirectory | null;
  /**
   * Called after an entry was opened, read or made, before the result is trusted: throws when the directory is no
   * longer the one that was walked, or the entry is not the given one.
   */
  confirm(directory: HeldDirectory, entry?: NamedEntry): void;
  /** The directory's path at this moment, for rules on what may be changed there. */
  presentPath(directory: HeldDirectory): string;
  /** A path that opens an open file again, if the system has one. */
  reopenPath(descriptor: number): string | null;
}

/** This flag is missing in Node's constants; it is the same number on every architecture Node runs on. */
const O_PATH = 0o10000000;
const holdFlags = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

interface DescriptorDirectory extends HeldDirectory {
  /** A kernel link that always leads to the open directory. */
  readonly link: string;
}

function held(descriptor: number, realPath: string): DescriptorDirectory {
  const link = `/proc/self/fd/${descriptor}`;
  let open = true;
  return {
    link,
    realPath,
    at: (name) => `${link}/${name}`,
    close() {
      if (!open) return;
      open = false;
      closeSync(descriptor);
    },
  };
}

function presentPath(directory: HeldDirectory): string {
  if (!('link' in directory)) throw new Error('a directory held by another way of access');
  return readlinkSync((directory as DescriptorDirectory).link);
}

function enterByDescriptor(parent: HeldDirectory, name: string): Entered {
  const path = parent.at(name);
  try {
    const realPath = parent.realPath === '/' ? `/${name}` : `${parent.realPath}/${name}`;
    return held(openSync(path, holdFlags), realPath);
  } catch (error) {
    if (isNodeError(error, 'ENOENT')) return 'missing';
    if (!isNodeError(error, 'ENOTDIR', 'ELOOP')) throw error;
  }
  try {
    readlinkSync(path);
    return 'link';
  } catch (error) {
    if (isNodeError(error, 'ENOENT')) return 'missing';
    if (isNodeError(error, 'EINVAL')) return 'not-directory';
    throw error;
  }
}

/**
 * Opens a directory and asks the kernel for its path. If that is the path asked for, no link was on it, whatever was
 * renamed meanwhile.
 */
function holdExactly(path: string, at = path): HeldDirectory | null {
  let descriptor: number;
  try {
    // A root of a view is a link of the kernel, which the flags would not follow.
    descriptor = openSync(at === path ? path : `${at}/.`, holdFlags);
  } catch {
    return null;
  }
  try {
    const actual = readlinkSync(`/proc/self/fd/${descriptor}`, 'buffer');
    // A view that is a plain copy lies at a path of its own.
    if ([path, at].some((expected) => actual.equals(Buffer.from(expected)))) return held(descriptor, path);
  } catch {
    // Left to the walk, which words what is wrong.
  }
  closeSync(descriptor);
  return null;
}

/** Linux: each directory is a descriptor, and each step starts from the one before. Needs /proc. */
export const descriptorDirectories: DirectoryAccess = {
  top: () => held(openSync('/', holdFlags), '/'),
  enter: enterByDescriptor,
  holdExactly,
  confirm() {
    // A descriptor can't be swapped.
  },
  presentPath,
  reopenPath: (descriptor) => `/proc/self/fd/${descriptor}`,
};

/** Gives access like `descriptorDirectories`, but in the roots of a view while there is one. */
export function directoriesOfView({ at, standIns }: Pick<Place, 'at' | 'standIns'>): DirectoryAccess {
  return {
    ...descriptorDirectories,
    enter(parent, name) {
      const path = parent.realPath === '/' ? `/${name}` : `${parent.realPath}/${name}`;
      const isInView = at(path) !== path;
      const isParentInView = at(parent.realPath) !== parent.realPath;
      // The step into a root; all further ones start from its descriptor.
      return isInView && !isParentInView
        ? held(openSync(`${at(path)}/.`, holdFlags), path)
        : enterByDescriptor(parent, name);
    },
    holdExactly: (path) => holdExactly(path, at(path)),
    presentPath(directory) {
      const path = presentPath(directory);
      const standIn = standIns().find(({ from }) => isInside(path, from));
      return standIn ? standIn.path + path.slice(standIn.from.length) : path;
    },
  };
}

/** True if /proc is mounted and shows this process its own descriptors. */
function canWalkByDescriptor(): boolean {
  const held = holdExactly('/');
  held?.close();
  return held !== null;
}

interface CheckedDirectory extends HeldDirectory {
  readonly device: bigint;
  readonly inode: bigint;
  readonly parent: CheckedDirectory | null;
}

/** A single check leaves a gap between its calls that a quick swapper can hit; several in a row do not. */
const checks = 4;

function checked(realPath: string, stat: BigIntStats, parent: CheckedDirectory | null): CheckedDirectory {
  return {
    realPath,
    device: stat.dev,
    inode: stat.ino,
    parent,
    at: (name) => (name === '' ? join(realPath, sep) : join(realPath, name)),
    close() {
      // Nothing is held open.
    },
  };
}

function asChecked(directory: HeldDirectory): CheckedDirectory {
  if ('inode' in directory) return directory as CheckedDirectory;
  throw new Error('a directory held by another way of access');
}

function top(path: string): CheckedDirectory {
  const { root } = parse(path);
  return checked(root, lstatSync(root, { bigint: true }), null);
}

function enterByPath(parent: HeldDirectory, name: string): Entered {
  const path = parent.at(name);
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (!stat) return 'missing';
  if (stat.isSymbolicLink()) return 'link';
  return stat.isDirectory() ? checked(path, stat, asChecked(parent)) : 'not-directory';
}

function sameDirectories(directory: CheckedDirectory): boolean {
  for (let each: CheckedDirectory | null = directory; each; each = each.parent) {
    const stat = lstatSync(each.realPath, { bigint: true, throwIfNoEntry: false });
    if (!stat?.isDirectory() || stat.dev !== each.device || stat.ino !== each.inode) return false;
  }
  return true;
}

function confirm(directory: HeldDirectory, entry?: NamedEntry): void {
  for (let check = 0; check < checks; check++) {
    if (!stillThere(asChecked(directory), entry)) {
      throw new ToolError(
        'conflict',
        `${directory.realPath} was moved or replaced while it was being used. Nothing from it was used; try again.`,
      );
    }
  }
}

function stillThere(directory: CheckedDirectory, entry?: NamedEntry): boolean {
  try {
    if (entry) {
      const stat = lstatSync(directory.at(entry.name), { bigint: true, throwIfNoEntry: false });
      if (stat?.dev !== entry.stat.dev || stat.ino !== entry.stat.ino) return false;
    }
    return sameDirectories(directory);
  } catch (error) {
    if (isNodeError(error)) return false;
    throw error;
  }
}

/**
 * For systems without /proc: check, use, and check again that it is still the same directory. What is read is tied to
 * the checks by its inode, so it can't come from elsewhere; between the last check and a change by name there remains
 * a gap of microseconds that no check can close.
 */
export const checkedDirectories: DirectoryAccess = {
  top,
  enter: enterByPath,
  holdExactly: () => null,
  confirm,
  presentPath(directory) {
    confirm(directory);
    return directory.realPath;
  },
  reopenPath: () => null,
};

export function chooseDirectoryAccess(
  platform: NodeJS.Platform = process.platform,
  place: Pick<Place, 'at' | 'standIns'> = here,
): DirectoryAccess {
  if (platform !== 'linux' || !canWalkByDescriptor()) return checkedDirectories;
  return place === here ? descriptorDirectories : directoriesOfView(place);
}

/** Mount points inside a folder, the folder itself left out. */
export function mountsBelow(folder: string): string[] {
  return mountPoints().filter((point) => point !== folder && isInside(point, folder));
}

export function isMountPoint(path: string): boolean {
  return mountPoints().includes(path);
}

/** Lists the mount points; empty where the system does not tell. */
function mountPoints(): string[] {
  let table: string;
  try {
    table = readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return [];
  }
  const points = table.split('\n').flatMap((line) => line.split(' ')[4] ?? []);
  return [...new Set(points.map(unescapeOctal))];
}

/** Blanks and the like are written as `\040`. */
function unescapeOctal(point: string): string {
  return point.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8)));
}
