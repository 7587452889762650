import { dirname, join, resolve } from 'node:path';
import { linkAt, lookAt, realPathOf } from '../state/inspect-files.js';
import { readSmallFile } from '../state/read-file.js';
import { isInside } from '../workspace.js';

/** The state of a search for the code that a command line would run. */
export interface CodeSearch {
  /** Folders that others may write. Code elsewhere does not count. */
  readonly roots: readonly string[];
  /** `PATH` of the command. */
  readonly path: string;
  /** Absolute paths that count as code, whether they exist or not. A folder stands for everything in it. */
  readonly found: Set<string>;
  /** Files and packages that were examined. */
  readonly seen: Set<string>;
}

/** The folder and the variables a command starts with. */
export interface Start {
  directory: string;
  environment: Readonly<Record<string, string>>;
  /** Number of commands that led to this one: a script may name itself. */
  depth: number;
  /** Folder in which a Python script finds modules first: its own. */
  modules?: string;
  /** Programs of packages come before those of the system, as in scripts of package.json. */
  findsPackages?: boolean;
}

const MOST_FILES = 2_000;
const LARGEST_SOURCE = 4 * 1024 * 1024;
/** A folder with one of these files is a package. */
const PACKAGE_MARKS = [
  'package.json',
  'pyproject.toml',
  'setup.py',
  'deno.json',
  'deno.jsonc',
  'Cargo.toml',
  'go.mod',
  'Gemfile',
  'composer.json',
];

export function isInRoots({ roots }: CodeSearch, path: string): boolean {
  return roots.some((root) => isInside(path, root));
}

/** Adds a path, and every path that links on it lead to. */
export async function add(search: CodeSearch, path: string): Promise<void> {
  if (isInRoots(search, path)) search.found.add(path);
  const real = await realPathOf(path);
  for (let at: string | null = path, hops = 0; at !== null && at !== real && hops < 40; hops++) {
    at = afterOneLink(at);
    if (at !== null && isInRoots(search, at)) search.found.add(at);
  }
}

function afterOneLink(path: string): string | null {
  const segments = path.split('/');
  for (let length = 2; length <= segments.length; length++) {
    const at = segments.slice(0, length).join('/');
    const link = linkAt(at);
    if (link !== null) return resolve(dirname(at), link, ...segments.slice(length));
  }
  return null;
}

/** Adds the whole package around a file: nobody can tell which of its files would run. */
export async function addPackageFolder(search: CodeSearch, entry: string): Promise<void> {
  const real = await realPathOf(entry);
  if (isInRoots(search, real)) search.found.add(await packageFolder(search, real));
}

/** The nearest package folder around a file; the file's own folder if there is none. */
export async function packageFolder(search: CodeSearch, entry: string): Promise<string> {
  for (let folder = dirname(entry); isInRoots(search, folder); folder = dirname(folder)) {
    for (const mark of PACKAGE_MARKS) if (await isFile(join(folder, mark))) return folder;
    if (dirname(folder) === folder) break;
  }
  return dirname(entry);
}

/** False when it was examined before, or when enough was. */
export function isFirstVisit(search: CodeSearch, key: string): boolean {
  if (search.seen.has(key) || search.seen.size >= MOST_FILES) return false;
  search.seen.add(key);
  return true;
}

export function hasSeenEnough({ seen }: CodeSearch): boolean {
  return seen.size >= MOST_FILES;
}

export async function isFile(path: string): Promise<boolean> {
  return (await lookAt(path))?.kind === 'file';
}

export async function isFolder(path: string): Promise<boolean> {
  return (await lookAt(path))?.kind === 'directory';
}

/** The text of a source file; null when it is not text, too long, or missing. */
export async function sourceOf(path: string): Promise<string | null> {
  const bytes = await readSmallFile(path, LARGEST_SOURCE).catch(() => null);
  if (bytes === null || bytes.includes(0)) return null;
  return bytes.toString('utf8');
}

/** Lists this folder and those above it that lie in the roots. */
export function foldersUp(search: CodeSearch, folder: string): string[] {
  const folders: string[] = [];
  for (let at = folder; isInRoots(search, at); at = dirname(at)) {
    folders.push(at);
    if (dirname(at) === at) break;
  }
  return folders;
}
