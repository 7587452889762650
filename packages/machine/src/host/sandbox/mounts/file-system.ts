import { constants, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { orNull } from '../../../base/errors.js';
import { here, type Place } from '../../plain-files/place.js';
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

export const realFileSystem = fileSystemIn(here);

/** The file system as it is seen from a place. */
export function fileSystemIn(place: Place): FileSystem {
  return {
    kindOf: (path) =>
      orNull(() => {
        const found = lstatSync(place.at(path), { throwIfNoEntry: false });
        if (found === undefined) return null;
        if (found.isDirectory()) return 'folder';
        if (found.isSymbolicLink()) return 'link';
        return found.isFile() ? 'file' : 'other';
      }),
    linkTarget: (path) => orNull(() => readlinkSync(place.at(path))),
    realPath: place.realPath,
    canRead: (path) => mayAccess(place.follow(path), constants.R_OK),
    canWrite: (path) => mayAccess(place.follow(path), constants.W_OK),
    isEmpty: (path) =>
      orNull(() => {
        const at = place.at(path);
        const found = lstatSync(at);
        return found.isDirectory() ? readdirSync(at).length === 0 : found.isFile() && found.size === 0;
      }) ?? false,
    names: (folder) => orNull(() => readdirSync(place.follow(folder))) ?? [],
    links: (folder) =>
      (orNull(() => readdirSync(place.follow(folder), { withFileTypes: true })) ?? [])
        .filter((entry) => entry.isSymbolicLink())
        .map(({ name }) => name),
    text: (path) => orNull(() => readRegularFile(place.follow(path), MOST_BYTES).toString()),
  };
}
