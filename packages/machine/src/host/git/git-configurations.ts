import { lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isNodeError } from '../../base/errors.js';
import { here, type Place } from '../plain-files/place.js';
import { readRegularFile, readRegularFileIfThere } from '../plain-files/regular-file.js';

const LARGEST_INDEX_BYTES = 256 * 1024 * 1024;
const MOST_FOLDERS = 2_000;
const MOST_REPOSITORIES = 200;

/**
 * The texts of the configuration a repository brings along, which can name programs for git to run: of the repository
 * around a folder, of its work tree, and of the repositories inside that git would enter. None outside a repository;
 * null if one can't be read.
 */
export function gitConfigurations(directory: string, place = here): string[] | null {
  try {
    const files = new Set(repositoriesOf(directory, place).flatMap(({ folder }) => filesOf(folder, place)));
    return [...files].flatMap((path) => readGitFile(path, place) ?? []);
  } catch {
    return null;
  }
}

/** The configuration files of each work tree, as far as they can be known. */
export function configurationFiles(directory: string, place = here): { tree: string; files: string[] }[] {
  try {
    return repositoriesOf(directory, place).map(({ folder, tree }) => ({
      tree,
      files: filesOf(folder, place),
    }));
  } catch {
    return [];
  }
}

/** The repository around a folder, and the repositories inside that git would enter. */
function repositoriesOf(directory: string, place: Place): Repository[] {
  const found = new Map<string, Repository>();
  const real = place.realPath(directory);
  if (real === null) throw new Error(`${directory} does not exist`);
  const pending = [...repositoriesAbove(real, place)];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (found.has(next.folder)) continue;
    found.set(next.folder, next);
    if (found.size > MOST_REPOSITORIES) throw new Error(`too many repositories in ${directory}`);
    pending.push(...repositoriesInside(next, place));
  }
  return [...found.values()];
}

/**
 * The paths that decide which repository git uses in a folder and in every folder inside that git would enter: their
 * `.git`, or the folder itself while it has none. Null if that can't be known.
 */
export function gitPlaces(directory: string, place = here): string[] | null {
  try {
    const own = gitFolderOf(directory, place);
    if (own === null) return [];
    const places = [join(directory, '.git')];
    const pending = linkedFolders({ folder: own, tree: directory }, place);
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (places.length > MOST_REPOSITORIES) throw new Error(`too many repositories in ${directory}`);
      const folder = gitFolderOf(next, place);
      places.push(folder === null ? next : join(next, '.git'));
      if (folder !== null) pending.push(...linkedFolders({ folder, tree: next }, place));
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
export function createTrackedCheck(place = here): (path: string) => boolean {
  const indexes = new Map<string, ReadonlySet<string>>();
  const namesOf = ({ folder, tree }: Repository): ReadonlySet<string> => {
    let names = indexes.get(folder);
    if (!names) {
      const all = indexesOf(folder, place).flatMap(namesInIndex);
      names = new Set(all.map((name) => join(tree, name)));
      indexes.set(folder, names);
    }
    return names;
  };
  return (path) => {
    try {
      return repositoriesAbove(dirname(path), place).some((repository) => namesOf(repository).has(path));
    } catch {
      return true;
    }
  };
}

/** True if a folder without a repository of its own lies in one, or may. */
export function isInsideRepository(directory: string, place = here): boolean {
  try {
    return gitFolderOf(directory, place) === null && repositoriesAbove(dirname(directory), place).length > 0;
  } catch {
    return true;
  }
}

interface Repository {
  folder: string;
  /** The work tree. */
  tree: string;
}

function filesOf(repository: string, place: Place): string[] {
  const folders = [repository, commonFolder(repository, place)];
  const files = folders.flatMap((folder) => ['config', 'config.worktree'].map((name) => join(folder, name)));
  return [...files, ...folders.flatMap((folder) => configurationsBelow(join(folder, 'modules'), place))];
}

/**
 * Looks upwards as git does, for the first `.git` that is a repository; folders that only look like one are included.
 */
function repositoriesAbove(directory: string, place: Place): Repository[] {
  const found: Repository[] = [];
  for (let tree = directory; ; tree = dirname(tree)) {
    const named = gitFolderOf(tree, place);
    const folders = [...(named === null ? [] : [named]), ...(isRepository(tree, place) ? [tree] : [])];
    found.push(...folders.map((folder) => ({ folder, tree })));
    if (folders.some((folder) => isRepository(folder, place)) || dirname(tree) === tree) return found;
  }
}

function isRepository(folder: string, place: Place): boolean {
  const isThere = (path: string) => statSync(place.follow(path), { throwIfNoEntry: false }) !== undefined;
  if (!isThere(join(folder, 'HEAD'))) return false;
  const common = commonFolder(folder, place);
  return ['objects', 'refs'].every((name) => isThere(join(common, name)));
}

function repositoriesInside(repository: Repository, place: Place): Repository[] {
  return linkedFolders(repository, place).flatMap((tree) => {
    const folder = gitFolderOf(tree, place);
    return folder === null ? [] : [{ folder, tree }];
  });
}

function linkedFolders({ folder, tree }: Repository, place: Place): string[] {
  return indexesOf(folder, place)
    .flatMap(linksInIndex)
    .map((link) => join(tree, link));
}

/** The index and the shared indexes it may refer to. */
function indexesOf(repository: string, place: Place): Buffer[] {
  const names = namesIn(repository, place).filter(
    (name) => name === 'index' || name.startsWith('sharedindex.'),
  );
  return names.map((name) => readRegularFile(place.follow(join(repository, name)), LARGEST_INDEX_BYTES));
}

function configurationsBelow(folder: string, place: Place): string[] {
  const found: string[] = [];
  const pending = [folder];
  for (let seen = 0; pending.length > 0; seen++) {
    if (seen > MOST_FOLDERS) throw new Error(`too many folders below ${folder}`);
    const next = pending.pop() as string;
    for (const name of namesIn(next, place)) {
      const path = join(next, name);
      if (name === 'config' || name === 'config.worktree') found.push(path);
      else if (name !== 'objects' && lstatSync(place.at(path)).isDirectory()) pending.push(path);
    }
  }
  return found;
}

function namesIn(folder: string, place: Place): string[] {
  try {
    return readdirSync(place.follow(folder));
  } catch (error) {
    if (isNodeError(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}

const FIXED_BYTES = 62;
const MODE_AT = 24;
const FLAGS_AT = 60;
const EXTENDED = 0x4000;
const LINK_MODE = 0o160000;
const linkBytes = Buffer.from([0, 0, 0xe0, 0]);

/**
 * The paths of other repositories that an index names, in its work tree: git enters them with their own configuration.
 * Throws for an unknown kind of index.
 */
function linksInIndex(index: Buffer): string[] {
  // The bytes of such an entry's mode are rare: most indexes need not be parsed.
  if (!index.includes(linkBytes)) return [];
  return [...entriesOf(index)].filter(({ mode }) => mode === LINK_MODE).map(({ name }) => name);
}

/** The paths that git tracks, in the work tree. Throws for an unknown kind of index. */
function namesInIndex(index: Buffer): string[] {
  return [...entriesOf(index)].map(({ name }) => name);
}

function* entriesOf(index: Buffer): Generator<{ mode: number; name: string }> {
  const version = index.readUInt32BE(4);
  if (index.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4)
    throw new Error('an index of an unknown kind');
  let name: Buffer = Buffer.alloc(0);
  let at = 12;
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const isExtended = version > 2 && (index.readUInt16BE(at + FLAGS_AT) & EXTENDED) !== 0;
    const begin = at + FIXED_BYTES + (isExtended ? 2 : 0);
    const { kept, from } = version === 4 ? sharedPart(index, begin, name.length) : { kept: 0, from: begin };
    const end = index.indexOf(0, from);
    if (end === -1) throw new Error('an index that is cut off');
    name = Buffer.concat([name.subarray(0, kept), index.subarray(from, end)]);
    yield { mode: index.readUInt32BE(at + MODE_AT), name: name.toString() };
    // Entries are padded to a multiple of eight with at least one zero; in version 4 they are not.
    at = version === 4 ? end + 1 : at + (Math.floor((end - at) / 8) + 1) * 8;
  }
}

/** The length of the previous name that this one reuses: all but a number of bytes, which is stored with variable width. */
function sharedPart(index: Buffer, begin: number, length: number): { kept: number; from: number } {
  let from = begin;
  let byte = index.readUInt8(from++);
  let dropped = byte & 127;
  while (byte & 128) {
    byte = index.readUInt8(from++);
    dropped = (dropped + 1) * 128 + (byte & 127);
  }
  return { kept: length - dropped, from };
}

const LARGEST_BYTES = 1024 * 1024;

/** The repository that `.git` in a work tree stands for: that folder, or the one a `.git` file names. Null without `.git`. */
export function gitFolderOf(tree: string, place: Place): string | null {
  const entry = join(tree, '.git');
  const found = statSync(place.follow(entry), { throwIfNoEntry: false });
  if (found?.isDirectory()) return entry;
  return found?.isFile() ? namedFolder(tree, readGitFile(entry, place) ?? '', 'gitdir: ') : null;
}

/** The folder that the work trees of a repository share; the repository itself where it has only one. */
export function commonFolder(repository: string, place: Place): string {
  const text = readGitFile(join(repository, 'commondir'), place);
  return text === null ? repository : namedFolder(repository, text);
}

/** Trailing blanks belong to the name, as for git. */
function namedFolder(from: string, text: string, before = ''): string {
  const name = text.slice(before.length).replace(/[\r\n]+$/, '');
  if (name === '' || !text.startsWith(before)) throw new Error(`${from} names no folder of git`);
  return resolve(from, name);
}

/** The text of a small file that git reads; null when there is none. */
function readGitFile(path: string, place: Place): string | null {
  return readRegularFileIfThere(place.follow(path), LARGEST_BYTES)?.toString() ?? null;
}
