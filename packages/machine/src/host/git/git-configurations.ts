import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isNodeError } from '../../base/errors.js';
import { readRegularFile } from '../plain-files/regular-file.js';
import { commonFolder, gitFolderOf, readGitFile } from './git-folder.js';
import { linksInIndex, namesInIndex } from './git-index.js';

const LARGEST_INDEX_BYTES = 256 * 1024 * 1024;
const MOST_FOLDERS = 2_000;
const MOST_REPOSITORIES = 200;

/**
 * The configuration that a repository brings along, which can name programs for git to run: that of the repository a
 * folder lies in, of its work tree, and of the repositories inside of it that git would look into. None outside a
 * repository; null where one can't be read.
 */
export function gitConfigurations(directory: string): string[] | null {
  try {
    const files = new Set(repositoriesOf(directory).flatMap(({ folder }) => filesOf(folder)));
    return [...files].flatMap((path) => readGitFile(path) ?? []);
  } catch {
    return null;
  }
}

/** The same by work tree, as far as it can be known: the files that may configure the repository there. */
export function configurationFiles(directory: string): { tree: string; files: string[] }[] {
  try {
    return repositoriesOf(directory).map(({ folder, tree }) => ({ tree, files: filesOf(folder) }));
  } catch {
    return [];
  }
}

/** The repository that a folder lies in, and those inside of it that git would look into. */
function repositoriesOf(directory: string): Repository[] {
  const found = new Map<string, Repository>();
  const pending = [...repositoriesAbove(realpathSync.native(directory))];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (found.has(next.folder)) continue;
    found.set(next.folder, next);
    if (found.size > MOST_REPOSITORIES) throw new Error(`too many repositories in ${directory}`);
    pending.push(...repositoriesInside(next));
  }
  return [...found.values()];
}

/**
 * What decides which repository git takes, for a folder and for every folder inside that git would look into: their
 * `.git`, or the folder itself while it has none. Null where that can't be known.
 */
export function gitPlaces(directory: string): string[] | null {
  try {
    const own = gitFolderOf(directory);
    if (own === null) return [];
    const places = [join(directory, '.git')];
    const pending = linkedFolders({ folder: own, tree: directory });
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (places.length > MOST_REPOSITORIES) throw new Error(`too many repositories in ${directory}`);
      const folder = gitFolderOf(next);
      places.push(folder === null ? next : join(next, '.git'));
      if (folder !== null) pending.push(...linkedFolders({ folder, tree: next }));
    }
    return places;
  } catch {
    return null;
  }
}

/** Tells whether git tracks a file, which it then doesn't ignore; true where that can't be known. Each index is read once. */
export function createTrackedCheck(): (path: string) => boolean {
  const indexes = new Map<string, ReadonlySet<string>>();
  const namesOf = ({ folder, tree }: Repository): ReadonlySet<string> => {
    let names = indexes.get(folder);
    if (!names) {
      const all = indexesOf(folder).flatMap(namesInIndex);
      names = new Set(all.map((name) => join(tree, name)));
      indexes.set(folder, names);
    }
    return names;
  };
  return (path) => {
    try {
      return repositoriesAbove(dirname(path)).some((repository) => namesOf(repository).has(path));
    } catch {
      return true;
    }
  };
}

/** Whether a folder that has no repository of its own lies in one, or may. */
export function isInsideRepository(directory: string): boolean {
  try {
    return gitFolderOf(directory) === null && repositoriesAbove(dirname(directory)).length > 0;
  } catch {
    return true;
  }
}

interface Repository {
  folder: string;
  /** Where its files lie. */
  tree: string;
}

function filesOf(repository: string): string[] {
  const folders = [repository, commonFolder(repository)];
  const files = folders.flatMap((folder) => ['config', 'config.worktree'].map((name) => join(folder, name)));
  return [...files, ...folders.flatMap((folder) => configurationsBelow(join(folder, 'modules')))];
}

/** As git looks for it: the first `.git` upwards that is a repository; what only looks like one is taken in too. */
function repositoriesAbove(directory: string): Repository[] {
  const found: Repository[] = [];
  for (let tree = directory; ; tree = dirname(tree)) {
    const named = gitFolderOf(tree);
    const folders = [...(named === null ? [] : [named]), ...(isRepository(tree) ? [tree] : [])];
    found.push(...folders.map((folder) => ({ folder, tree })));
    if (folders.some(isRepository) || dirname(tree) === tree) return found;
  }
}

function isRepository(folder: string): boolean {
  if (!statSync(join(folder, 'HEAD'), { throwIfNoEntry: false })) return false;
  const common = commonFolder(folder);
  return ['objects', 'refs'].every((name) => statSync(join(common, name), { throwIfNoEntry: false }));
}

function repositoriesInside(repository: Repository): Repository[] {
  return linkedFolders(repository).flatMap((tree) => {
    const folder = gitFolderOf(tree);
    return folder === null ? [] : [{ folder, tree }];
  });
}

function linkedFolders({ folder, tree }: Repository): string[] {
  return indexesOf(folder)
    .flatMap(linksInIndex)
    .map((link) => join(tree, link));
}

/** The index, and the parts that it may leave to others. */
function indexesOf(repository: string): Buffer[] {
  const names = namesIn(repository).filter((name) => name === 'index' || name.startsWith('sharedindex.'));
  return names.map((name) => readRegularFile(join(repository, name), LARGEST_INDEX_BYTES));
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
