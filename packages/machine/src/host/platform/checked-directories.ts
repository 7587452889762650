import { type BigIntStats, lstatSync } from 'node:fs';
import { join, parse, sep } from 'node:path';
import { isNodeError, ToolError } from '../../base/errors.js';
import type { DirectoryAccess, Entered, HeldDirectory, NamedEntry } from './directory-access.js';

interface CheckedDirectory extends HeldDirectory {
  readonly device: bigint;
  readonly inode: bigint;
  readonly parent: CheckedDirectory | null;
}

/** One check leaves a gap between its calls that a quick swapper can hit; several in a row do not. */
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

function enter(parent: HeldDirectory, name: string): Entered {
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
  enter,
  holdExactly: () => null,
  confirm,
  presentPath(directory) {
    confirm(directory);
    return directory.realPath;
  },
  reopenPath: () => null,
};
