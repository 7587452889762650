import { constants, lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { orNull } from '../../../base/errors.js';
import { mayAccess, readRegularFile } from '../../plain-files/regular-file.js';

const MOST_BYTES = 4 * 1024 * 1024;

/** Questions about the file system for planning mounts. None of them throws. */
export interface FileSystem {
  kindOf(path: string): 'file' | 'folder' | 'link' | 'other' | null;
  linkTarget(path: string): string | null;
  realPath(path: string): string | null;
  canRead(path: string): boolean;
  canWrite(path: string): boolean;
  isEmpty(path: string): boolean;
  names(folder: string): readonly string[];
  /** The names of a folder's links. */
  links(folder: string): readonly string[];
  text(path: string): string | null;
}

export const realFileSystem: FileSystem = {
  kindOf: (path) =>
    orNull(() => {
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (found === undefined) return null;
      if (found.isDirectory()) return 'folder';
      if (found.isSymbolicLink()) return 'link';
      return found.isFile() ? 'file' : 'other';
    }),
  linkTarget: (path) => orNull(() => readlinkSync(path)),
  realPath: (path) => orNull(() => realpathSync.native(path)),
  canRead: (path) => mayAccess(path, constants.R_OK),
  canWrite: (path) => mayAccess(path, constants.W_OK),
  isEmpty: (path) =>
    orNull(() => {
      const found = lstatSync(path);
      return found.isDirectory() ? readdirSync(path).length === 0 : found.isFile() && found.size === 0;
    }) ?? false,
  names: (folder) => orNull(() => readdirSync(folder)) ?? [],
  links: (folder) =>
    (orNull(() => readdirSync(folder, { withFileTypes: true })) ?? [])
      .filter((entry) => entry.isSymbolicLink())
      .map(({ name }) => name),
  text: (path) => orNull(() => readRegularFile(path, MOST_BYTES).toString()),
};
