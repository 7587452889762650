import { dirname, join, resolve } from 'node:path';
import { linkAt, lookAt, realPathOf } from '../state/inspect-files.js';
import { readSmallFile } from '../state/read-file.js';
import { isInside } from '../workspace.js';

/** What is known so far of the code that a command line would run. */
export interface CodeSearch {
  /** Folders that somebody else may write. Code elsewhere does not count. */
  readonly roots: readonly string[];
  /** `PATH` of the command. */
  readonly path: string;
  /** Absolute paths that count, whether or not they are there. A folder stands for what is in it. */
  readonly found: Set<string>;
  /** Files and packages that were looked at. */
  readonly seen: Set<string>;
}

/** Where a command starts, and what is set for it. */
export interface CommandContext {
  directory: string;
  environment: Readonly<Record<string, string>>;
  /** How many commands led to this one: a script may name itself. */
  depth: number;
  /** Where a script of Python finds its modules first: beside itself. */
  modules?: string;
  /** Programs of packages are found before those of the system, as in a script of package.json. */
  findsPackages?: boolean;
}

const MOST_FILES = 2_000;
const LARGEST_SOURCE = 4 * 1024 * 1024;
/** The folder that holds one of these is a package. */
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

/** A path counts, and so does what links on the way lead to, one after the other. */
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

/** Nobody can tell which files of it would run, so that all of them count. */
export async function addPackageFolder(search: CodeSearch, entry: string): Promise<void> {
  const real = await realPathOf(entry);
  if (isInRoots(search, real)) search.found.add(await packageFolder(search, real));
}

/** The nearest folder around a file that is a package; the folder of the file where none is. */
export async function packageFolder(search: CodeSearch, entry: string): Promise<string> {
  for (let folder = dirname(entry); isInRoots(search, folder); folder = dirname(folder)) {
    for (const mark of PACKAGE_MARKS) if (await isFile(join(folder, mark))) return folder;
    if (dirname(folder) === folder) break;
  }
  return dirname(entry);
}

/** False: it was looked at before, or too much was. */
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

/** Null for what is no text, too long, or not there. */
export async function sourceOf(path: string): Promise<string | null> {
  const bytes = await readSmallFile(path, LARGEST_SOURCE).catch(() => null);
  if (bytes === null || bytes.includes(0)) return null;
  return bytes.toString('utf8');
}

/** This folder and those around it, as long as they are ours. */
export function foldersUp(search: CodeSearch, folder: string): string[] {
  const folders: string[] = [];
  for (let at = folder; isInRoots(search, at); at = dirname(at)) {
    folders.push(at);
    if (dirname(at) === at) break;
  }
  return folders;
}
