import { closeSync, constants, openSync, readlinkSync } from 'node:fs';
import { isNodeError } from '../../base/errors.js';
import type { DirectoryAccess, Entered, HeldDirectory } from './directory-access.js';

/** Not among Node's constants; the same number on every architecture Node runs on. */
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

function enter(parent: HeldDirectory, name: string): Entered {
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
function holdExactly(path: string): HeldDirectory | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, holdFlags);
  } catch {
    return null;
  }
  try {
    const actual = readlinkSync(`/proc/self/fd/${descriptor}`, 'buffer');
    if (actual.equals(Buffer.from(path))) return held(descriptor, path);
  } catch {
    // Left to the walk, which words what is wrong.
  }
  closeSync(descriptor);
  return null;
}

/** Linux: each directory is a descriptor, and each step starts from the one before. Needs /proc. */
export const descriptorDirectories: DirectoryAccess = {
  top: () => held(openSync('/', holdFlags), '/'),
  enter,
  holdExactly,
  confirm() {
    // A descriptor can't be swapped.
  },
  presentPath,
  reopenPath: (descriptor) => `/proc/self/fd/${descriptor}`,
};

/** True if /proc is mounted and shows this process its own descriptors. */
export function canWalkByDescriptor(): boolean {
  const held = holdExactly('/');
  held?.close();
  return held !== null;
}
