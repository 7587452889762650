import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { isNodeError, messageOf, SettingsError } from '../../base/errors.js';

const MAX_BYTES = 4 * 1024 * 1024;

/**
 * A small file of configuration, or null when there is none. Never waits on a FIFO or a device, and never
 * takes in more than the limit, because some of these files come with a repository nobody has looked at yet.
 */
export async function readSmallFile(path: string, maxBytes = MAX_BYTES): Promise<Buffer | null> {
  return readRegular(path, { maxBytes, flags: 0, check: () => undefined });
}

/**
 * A file that we wrote and nobody else could have: for what is run, or believed without a question. Null when there is
 * none, and when the file or a folder on the way is a link, belongs to somebody else or may be written by others.
 */
export async function readOwnFile(folder: string, ...names: string[]): Promise<Buffer | null> {
  const folders = names.slice(0, -1).map((_, index) => join(folder, ...names.slice(0, index + 1)));
  try {
    if (!folders.every((path) => isOurs(lstatSync(path)))) return null;
    return await readRegular(join(folder, ...names), {
      maxBytes: MAX_BYTES,
      flags: constants.O_NOFOLLOW,
      check(found) {
        if (!isOurs(found)) throw new SettingsError('it belongs to somebody else');
      },
    });
  } catch {
    return null;
  }
}

function isOurs({ uid, mode }: Stats): boolean {
  const user = process.geteuid?.();
  return user === undefined || (uid === user && (mode & 0o022) === 0);
}

interface RegularFileRules {
  maxBytes: number;
  /** The flags beside those that every reading has. */
  flags: number;
  check(found: Stats): void;
}

async function readRegular(
  path: string,
  { maxBytes, flags, check }: RegularFileRules,
): Promise<Buffer | null> {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | flags);
    try {
      const found = fstatSync(file);
      check(found);
      if (!found.isFile()) throw new SettingsError(`${path} is not a regular file.`);
      if (found.size > maxBytes) throw tooLarge(path, maxBytes);
      const bytes = Buffer.allocUnsafe(found.size);
      let length = 0;
      while (length < bytes.length) {
        const bytesRead = readSync(file, bytes, length, bytes.length - length, null);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return length === bytes.length ? bytes : bytes.subarray(0, length);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (isNodeError(error, 'ENOENT', 'ENOTDIR')) return null;
    if (error instanceof SettingsError) throw error;
    if (isNodeError(error, 'EACCES', 'EPERM'))
      throw new SettingsError(
        `${path} can't be read: permission denied. Give yourself the right to read it (chmod, chown), or move it away.`,
      );
    throw new SettingsError(`${path} can't be read: ${messageOf(error)}`);
  }
}

function tooLarge(path: string, maxBytes: number): SettingsError {
  return new SettingsError(
    `${path} is larger than ${Math.floor(maxBytes / 1024)} KiB, too large for a file of settings.`,
  );
}
