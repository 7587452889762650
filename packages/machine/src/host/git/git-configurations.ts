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
 * The texts of the configuration a repository brings along, which can name programs for git to run: of the repository
 * around a folder, of its work tree, and of the repositories inside that git would enter. None outside a repository;
 * null if one can't be read.
 */
export function gitConfigurations(directory: string): string[] | null {
  try {
    const files = new Set(repositoriesOf(directory).flatMap(({ folder }) => filesOf(folder)));
    return [...files].flatMap((path) => readGitFile(path) ?? []);
  } catch {
    return null;
  }
}

/** The configuration files of each work tree, as far as they can be known. */
export function configurationFiles(directory: string): { tree: string; files: string[] }[] {
  try {
    return repositoriesOf(directory).map(({ folder, tree }) => ({ tree, files: filesOf(folder) }));
  } catch {
    return [];
  }
}

/** The repository around a folder, and the repositories inside that git would enter. */
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
 * The paths that decide which repository git uses in a folder and in every folder inside that git would enter: their
 * `.git`, or the folder itself while it has none. Null if that can't be known.
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

/**
 * Creates a check whether git tracks a file (tracked files are not ignored); true if that can't be known. Each index
 * is read once.
 */
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

/** True if a folder without a repository of its own lies in one, or may. */
export function isInsideRepository(directory: string): boolean {
  try {
    return gitFolderOf(directory) === null && repositoriesAbove(dirname(directory)).length > 0;
  } catch {
    return true;
  }
}

interface Repository {
  folder: string;
  /** The work tree. */
  tree: string;
}

function filesOf(repository: string): string[] {
  const folders = [repository, commonFolder(repository)];
  const files = folders.flatMap((folder) => ['config', 'config.worktree'].map((name) => join(folder, name)));
  return [...files, ...folders.flatMap((folder) => configurationsBelow(join(folder, 'modules')))];
}

/**
 * Looks upwards as git does, for the first `.git` that is a repository; folders that only look like one are included.
 */
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

/** The index and the shared indexes it may refer to. */
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
