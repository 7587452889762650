import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isNodeError } from '../base/errors.js';

const LARGEST_BYTES = 1024 * 1024;
const MOST_FOLDERS = 2_000;

/**
 * The configuration that a repository brings along, which can name programs for git to run: that of the repository a
 * folder lies in, of its work tree, and of its submodules. None outside a repository; null where one can't be read.
 */
export function gitConfigurations(directory: string): string[] | null {
  try {
    const found = findRepository(directory);
    if (found === null) return [];
    const folders = [found, commonFolder(found)];
    const names = ['config', 'config.worktree'];
    const files = folders.flatMap((folder) => names.map((name) => join(folder, name)));
    const inModules = folders.flatMap((folder) => configurationsBelow(join(folder, 'modules')));
    return [...new Set([...files, ...inModules])].flatMap((path) => readIfThere(path) ?? []);
  } catch {
    return null;
  }
}

/** As git looks for it: the first `.git` upwards, which may be a file that names the folder. */
function findRepository(directory: string): string | null {
  for (let folder = resolve(directory); ; folder = dirname(folder)) {
    const place = join(folder, '.git');
    const found = statSync(place, { throwIfNoEntry: false });
    if (found?.isDirectory()) return place;
    if (found?.isFile()) return namedFolder(folder, readIfThere(place) ?? '', /^gitdir: (.+?)\s*$/m);
    if (isBareRepository(folder)) return folder;
    if (dirname(folder) === folder) return null;
  }
}

function isBareRepository(folder: string): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => statSync(join(folder, name), { throwIfNoEntry: false }));
}

function commonFolder(repository: string): string {
  const text = readIfThere(join(repository, 'commondir'));
  return text === null ? repository : namedFolder(repository, text, /^(.+?)\s*$/m);
}

function namedFolder(from: string, text: string, pattern: RegExp): string {
  const name = pattern.exec(text)?.[1];
  if (name === undefined) throw new Error(`${from} names no folder of git`);
  return resolve(from, name);
}

function configurationsBelow(folder: string): string[] {
  const found: string[] = [];
  const pending = [folder];
  for (let seen = 0; pending.length > 0; seen++) {
    if (seen > MOST_FOLDERS) throw new Error(`too many folders below ${folder}`);
    const next = pending.pop() as string;
    for (const name of namesIn(next)) {
      const path = join(next, name);
      if (name === 'config' || name === 'config.worktree') found.push(path);
      else if (name !== 'objects' && lstatSync(path).isDirectory()) pending.push(path);
    }
  }
  return found;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isNodeError(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}

function readIfThere(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return null;
  if (!found.isFile() || found.size > LARGEST_BYTES) throw new Error(`${path} can't be read`);
  return readFileSync(path, 'utf8');
}
