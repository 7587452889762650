import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { isNodeError, messageOf, SettingsError } from '../../base/errors.js';

const MAX_BYTES = 4 * 1024 * 1024;

/**
 * A small file of configuration, or null when there is none. Never waits on a FIFO or a device, and never
 * takes in more than the limit, because some of these files come with a repository nobody has looked at yet.
 */
export async function readSmallFile(path: string, maxBytes = MAX_BYTES): Promise<Buffer | null> {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = fstatSync(file);
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
    throw new SettingsError(`${path} can't be read: ${messageOf(error)}`);
  }
}

function tooLarge(path: string, maxBytes: number): SettingsError {
  return new SettingsError(
    `${path} is larger than ${Math.floor(maxBytes / 1024)} KiB, too large for a file of settings.`,
  );
}
