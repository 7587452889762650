import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  type PathLike,
  readSync,
  statSync,
} from 'node:fs';
import { isNodeError } from '../../base/errors.js';

/**
 * Opens a file that may be anything, such as one a repository brought along. Opening a named pipe or a terminal would
 * block the whole program, and no signal would be noticed: so the path is checked, opened without waiting, and checked
 * again.
 */
export function openRegularFile(
  path: PathLike,
  { followsLinks = true } = {},
): { descriptor: number; size: number } {
  if (!(followsLinks ? statSync : lstatSync)(path).isFile()) throw notRegular(path);
  const noFollow = followsLinks ? 0 : (constants.O_NOFOLLOW ?? 0);
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0) | noFollow;
  const descriptor = openSync(path, flags);
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw notRegular(path);
    return { descriptor, size: found.size };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** Reads as many bytes as the file claims to have: a kernel file claims none, and would never end. */
export function readRegularFile(
  path: PathLike,
  mostBytes = Number.POSITIVE_INFINITY,
  options?: { followsLinks?: boolean },
): Buffer {
  const { descriptor, size } = openRegularFile(path, options);
  try {
    if (size > mostBytes) throw new Error(`${path} is larger than ${mostBytes} bytes`);
    const bytes = Buffer.allocUnsafe(size);
    let length = 0;
    while (length < size) {
      const read = readSync(descriptor, bytes, length, size - length, null);
      if (read === 0) break;
      length += read;
    }
    return length === size ? bytes : bytes.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}

/** Null when there is no such file; throws when it is no regular file or can't be read. */
export function readRegularFileIfThere(path: PathLike, mostBytes?: number): Buffer | null {
  try {
    return readRegularFile(path, mostBytes);
  } catch (error) {
    if (isNodeError(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
}

function notRegular(path: PathLike): Error {
  return new Error(`${path} is not a regular file`);
}
