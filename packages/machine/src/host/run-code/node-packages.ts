import { isBuiltin } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { orNull } from '../../base/errors.js';
import { isJsonObject, type JsonObject, jsonObjectIn } from '../../base/json.js';
import { realPathOf } from '../state/inspect-files.js';
import { isInside } from '../workspace.js';
import {
  add,
  addPackageFolder,
  type CodeSearch,
  foldersUp,
  hasSeenEnough,
  isFile,
  isFirstVisit,
  isFolder,
  isInRoots,
  packageFolder,
  sourceOf,
} from './code-search.js';

const ENDINGS = ['.js', '.json', '.node', '.mjs', '.cjs', '.ts', '.tsx', '.mts', '.cts', '.jsx'];
/** Endings that TypeScript runners try when the first is missing. */
const TYPED: readonly [RegExp, readonly string[]][] = [
  [/\.jsx?$/, ['.ts', '.tsx']],
  [/\.mjs$/, ['.mts']],
  [/\.cjs$/, ['.cts']],
];

/**
 * The file that a path stands for, as Node and TypeScript runners look for it. Missing files they would take before it
 * are added too: whoever makes one gets it run.
 */
export async function fileFor(search: CodeSearch, path: string): Promise<string | null> {
  const inFolder = ['package.json', ...ENDINGS.map((ending) => `index${ending}`)].map((name) =>
    join(path, name),
  );
  for (const candidate of [
    path,
    ...otherNames(path),
    ...ENDINGS.map((ending) => path + ending),
    ...inFolder,
  ]) {
    if (!(await isFile(candidate))) {
      if (!(await isFolder(candidate))) await add(search, candidate);
      continue;
    }
    await add(search, candidate);
    if (!candidate.endsWith('/package.json') || path === candidate) return candidate;
    const main = mainOf(await jsonOf(candidate));
    if (main !== null) return fileFor(search, resolve(path, main));
  }
  return null;
}

function otherNames(path: string): string[] {
  return TYPED.flatMap(([ending, others]) =>
    ending.test(path) ? others.map((other) => path.replace(ending, other)) : [],
  );
}

function mainOf(manifest: JsonObject): string | null {
  return typeof manifest['main'] === 'string' ? manifest['main'] : null;
}

export async function jsonOf(path: string): Promise<JsonObject> {
  return jsonObjectIn((await sourceOf(path)) ?? '') ?? {};
}

/** The files that an imported name stands for: a path, a name of the package itself, or another package. */
export async function filesForImport(search: CodeSearch, name: string, from: string): Promise<string[]> {
  if (/^(node|data|https?|npm|jsr|bun):/.test(name) || isBuiltin(name)) return [];
  if (/^(\.{0,2}\/|\.{1,2}$|file:)/.test(name)) {
    const path = name.startsWith('file:') ? name.replace(/^file:(\/\/)?/, '') : name.replace(/[?#].*$/, '');
    // Modules name files the way URLs do.
    const spellings = new Set([path, orNull(() => decodeURIComponent(path)) ?? path]);
    const found: (string | null)[] = [];
    for (const each of spellings) found.push(await fileFor(search, resolve(dirname(from), each)));
    return found.filter((each) => each !== null);
  }
  if (name.startsWith('#')) return ownNames(search, name, from);
  const own = await ownExports(search, packageName(name), from);
  if (own !== null) return own;
  const isFound = await addPackage(search, packageName(name), dirname(from));
  if (!isFound) await addMapping(search, from);
  return [];
}

function packageName(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Resolves `#name` with `imports` of package.json. */
async function ownNames(search: CodeSearch, name: string, from: string): Promise<string[]> {
  const folder = await packageFolder(search, from);
  await add(search, join(folder, 'package.json'));
  const { imports } = await jsonOf(join(folder, 'package.json'));
  const targets = isJsonObject(imports) ? textsIn(imports[name]) : [];
  if (targets.length === 0) await addPackageFolder(search, from);
  const files: string[] = [];
  for (const target of targets.filter((each) => each.startsWith('.'))) {
    const found = await fileFor(search, resolve(folder, target));
    if (found !== null) files.push(found);
  }
  return files;
}

/** Resolves an import of the module's own package with `exports`; null if it is another package. */
async function ownExports(search: CodeSearch, name: string, from: string): Promise<string[] | null> {
  const folder = await packageFolder(search, from);
  const { name: own, exports } = await jsonOf(join(folder, 'package.json'));
  if (own !== name || exports === undefined) return null;
  await add(search, join(folder, 'package.json'));
  const targets = textsIn(exports);
  if (targets.some((target) => target.includes('*'))) await addPackageFolder(search, from);
  const files = await Promise.all(targets.map((target) => fileFor(search, resolve(folder, target))));
  return files.filter((file) => file !== null);
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

const MAPPINGS = ['tsconfig.json', 'jsconfig.json', 'deno.json', 'deno.jsonc', 'import_map.json'];

/** TypeScript runners, Bun and Deno map names to paths: a name that is no package may stand for a file of this one. */
async function addMapping(search: CodeSearch, from: string): Promise<void> {
  for (const folder of foldersUp(search, dirname(from)))
    for (const name of MAPPINGS) {
      const source = await sourceOf(join(folder, name));
      if (source === null || !/"(paths|baseUrl|imports|extends)"/.test(source)) continue;
      await add(search, join(folder, name));
      await addPackageFolder(search, from);
    }
}

/** Adds a package loaded from a folder, and all its dependencies, each as a whole. False if it is not installed. */
export async function addPackage(search: CodeSearch, name: string, folder: string): Promise<boolean> {
  for (const around of foldersUp(search, folder)) {
    const modules = join(around, 'node_modules');
    const place = join(modules, name);
    if (!(await isFolder(place))) {
      // A package made here would be loaded before those further up.
      await add(search, place);
      continue;
    }
    const real = await realPathOf(place);
    if (!isFirstVisit(search, real)) {
      if (hasSeenEnough(search)) search.found.add(modules);
      return true;
    }
    await add(search, place);
    if (isInRoots(search, real)) await addDependencies(search, real);
    return true;
  }
  return false;
}

async function addDependencies(search: CodeSearch, folder: string): Promise<void> {
  const { dependencies, optionalDependencies, peerDependencies } = await jsonOf(join(folder, 'package.json'));
  const names = [dependencies, optionalDependencies, peerDependencies].flatMap((each) =>
    isJsonObject(each) ? Object.keys(each) : [],
  );
  for (const name of new Set(names)) await addPackageIfThere(search, name, folder);
}

/**
 * Adds an optional dependency only if it is installed: most are not, and their paths would be a long list of nothing.
 */
async function addPackageIfThere(search: CodeSearch, name: string, folder: string): Promise<void> {
  for (const around of foldersUp(search, folder))
    if (await isFolder(join(around, 'node_modules', name))) {
      await addPackage(search, name, around);
      return;
    }
}

/** The package in `node_modules` that a file belongs to, or null. */
export async function packageAround(search: CodeSearch, path: string): Promise<string | null> {
  const parts = path.split('/node_modules/');
  const last = parts.pop() ?? '';
  if (parts.length === 0) return null;
  const folder = join(parts.join('/node_modules/'), 'node_modules', packageName(last));
  return isInRoots(search, folder) && isInside(path, folder) ? folder : null;
}

export async function addWholePackage(search: CodeSearch, folder: string): Promise<void> {
  await add(search, folder);
  if (isFirstVisit(search, folder)) await addDependencies(search, folder);
}
