import { opendirSync } from 'node:fs';
import { isNodeError } from '../../base/errors.js';

/** The names in a folder, none if there is no such folder; null when there are more than `most`. */
export function entriesOf(
  folder: string,
  most: number,
): { name: string; kind: 'link' | 'folder' | 'other' }[] | null {
  try {
    const opened = opendirSync(folder);
    try {
      const found: NonNullable<ReturnType<typeof entriesOf>> = [];
      for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
        if (found.length >= most) return null;
        const kind = entry.isSymbolicLink() ? 'link' : entry.isDirectory() ? 'folder' : 'other';
        found.push({ name: entry.name, kind });
      }
      return found;
    } finally {
      opened.closeSync();
    }
  } catch (error) {
    if (isNodeError(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG')) return [];
    throw error;
  }
}
