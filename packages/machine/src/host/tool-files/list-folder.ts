import { readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { orNull } from '../../base/errors.js';

/** A file in a folder of tools. */
export interface FolderFile {
  name: string;
  path: string;
  size: number;
}

/** The regular files of a folder by name, links followed; none when there is no folder. */
export function listFolder(folder: string): FolderFile[] {
  const names = orNull(() => readdirSync(folder).sort()) ?? [];
  return names.flatMap((name) => {
    const path = join(folder, name);
    const found = statOrNull(path);
    if (!found?.isFile()) return [];
    return [{ name, path, size: found.size }];
  });
}

const ENDINGS = ['.ts', '.js', '.mjs', '.json'];

/** The file that holds the tool of this name, or would if it could be loaded. */
export function toolFileNamed(name: string, folders: readonly string[]): string | undefined {
  const names = new Set(ENDINGS.map((ending) => name + ending));
  return folders.flatMap(listFolder).find((file) => names.has(file.name))?.path;
}

/** Changes whenever one of the files changes or disappears. */
export function stampOfAll(paths: readonly string[]): string {
  return paths
    .map((path) => {
      const found = statOrNull(path);
      return found ? `${found.ino} ${found.size} ${found.mtimeMs}` : 'gone';
    })
    .join();
}

/** Null also for a link in a circle, or through a closed folder. */
function statOrNull(path: string): Stats | null {
  return orNull(() => statSync(path));
}
