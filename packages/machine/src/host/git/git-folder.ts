import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readRegularFileIfThere } from '../plain-files/regular-file.js';

const LARGEST_BYTES = 1024 * 1024;

/** The repository that `.git` in a work tree stands for: that folder, or the one a `.git` file names. Null without `.git`. */
export function gitFolderOf(tree: string): string | null {
  const entry = join(tree, '.git');
  const found = statSync(entry, { throwIfNoEntry: false });
  if (found?.isDirectory()) return entry;
  return found?.isFile() ? namedFolder(tree, readGitFile(entry) ?? '', 'gitdir: ') : null;
}

/** The folder that the work trees of a repository share; the repository itself where it has only one. */
export function commonFolder(repository: string): string {
  const text = readGitFile(join(repository, 'commondir'));
  return text === null ? repository : namedFolder(repository, text);
}

/** Trailing blanks belong to the name, as for git. */
function namedFolder(from: string, text: string, before = ''): string {
  const name = text.slice(before.length).replace(/[\r\n]+$/, '');
  if (name === '' || !text.startsWith(before)) throw new Error(`${from} names no folder of git`);
  return resolve(from, name);
}

/** The text of a small file that git reads; null when there is none. */
export function readGitFile(path: string): string | null {
  return readRegularFileIfThere(path, LARGEST_BYTES)?.toString() ?? null;
}
