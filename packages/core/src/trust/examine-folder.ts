import { join, relative, resolve, sep } from 'node:path';
import { SettingsError } from '@toolwright/machine/base/errors.js';
import { hashOfFile, lookAt, namesIn, realPathOf } from '@toolwright/machine/host/state/inspect-files.js';
import { readSmallFile } from '@toolwright/machine/host/state/read-file.js';
import { contextFilesThere } from './context-files-there.js';
import { namedIn, type SettingsCommand } from './named-commands.js';

/** Code of a folder that could run once the user trusts it. Plain data, made of untrusted text. */
export interface FolderExamination {
  /** Real path. */
  folder: string;
  /** Path relative to the folder, to the SHA-256 of its content. */
  fingerprint: Record<string, string>;
  commands: SettingsCommand[];
  /** Context files in it and around it in its repository, which count as instructions once the user trusts it; they may change after that. */
  contextFiles?: string[];
}

export interface ExamineOptions {
  signal: AbortSignal;
  /** Never part of a project, even when it lies inside the folder. */
  stateFolder?: string;
  limits?: { files: number; bytes: number };
}

const settingFiles = ['.toolwright/settings.json', '.mcp.json'];
const singleFiles = [...settingFiles, '.env'];
const toolsFolder = '.toolwright/tools';
const folders = [toolsFolder, '.toolwright/hooks'];

/** Files that name hooks, ours first. */
const hookFiles = [
  '.toolwright/hooks/hooks.json',
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.qwen/settings.json',
  '.gemini/settings.json',
];

/** Folders whose files tell the model or the program what to do. One with too many files does not count, and stops nothing. */
const pieceFolders = [
  ...['.toolwright', '.agents', '.claude', '.qwen'].map((name) => `${name}/skills`),
  ...['.toolwright', '.claude', '.qwen', '.gemini'].map((name) => `${name}/commands`),
  ...['.claude', '.qwen', '.gemini'].map((name) => `${name}/hooks`),
  '.toolwright/extensions',
  ...['.toolwright', '.claude', '.qwen'].map((name) => `${name}/agents`),
];
const pieceLimits = { files: 2_000, bytes: 64 * 1024 * 1024 };

/** In place of a digest: nobody can vouch for so many files. */
export const TOO_MANY = 'too many files';
/** Files that run when a command names a folder. */
const entryFiles = [
  'package.json',
  'index.js',
  'index.mjs',
  'index.cjs',
  'index.ts',
  '__main__.py',
  'main.py',
  'main.go',
];

const MAX_DEPTH = 32;
const defaultLimits = { files: 5_000, bytes: 256 * 1024 * 1024 };

interface Examination {
  folder: string;
  stateFolder: string | undefined;
  fingerprint: Map<string, string>;
  visited: Set<string>;
  signal: AbortSignal;
  limits: { files: number; bytes: number };
  bytes: number;
}

/** Reads, runs nothing. The same content gives the same fingerprint. */
export async function examineFolder(path: string, options: ExamineOptions): Promise<FolderExamination> {
  const folder = await realPathOf(path);
  const found = await lookAt(folder);
  if (found === null)
    throw new SettingsError(`The folder ${path} can't be used: it does not exist or can't be entered.`);
  if (found.kind !== 'directory') throw new SettingsError(`${path} is not a folder.`);
  const search: Examination = {
    folder,
    stateFolder: options.stateFolder === undefined ? undefined : await realPathOf(options.stateFolder),
    fingerprint: new Map(),
    visited: new Set(),
    signal: options.signal,
    limits: options.limits ?? defaultLimits,
    bytes: 0,
  };
  const isPossible = await possibleIn(folder);
  for (const name of singleFiles.filter(isPossible)) await addFile(search, join(folder, name));
  for (const name of folders.filter(isPossible)) await addAll(search, join(folder, name), 0);
  for (const name of pieceFolders.filter(isPossible)) await addPieces(search, name);
  const commands: SettingsCommand[] = await addHooks(search, hookFiles.filter(isPossible));
  for (const name of settingFiles) commands.push(...(await addNamed(search, name)));
  for (const name of manifestsIn(search))
    commands.push(...(await addNamed(search, name, { beside: toolsFolder })));
  for (const name of filesOfExtensions(search)) commands.push(...(await addNamed(search, name)));
  const sorted = [...search.fingerprint].sort(([left], [right]) => (left < right ? -1 : 1));
  const there = await contextFilesThere(folder);
  return {
    folder,
    fingerprint: Object.fromEntries(sorted),
    commands,
    contextFiles: there.length > 0 ? there : undefined,
  };
}

/** Tells names whose first folder is there: most folders have none of them, and each name below would be looked for at every start. */
async function possibleIn(folder: string): Promise<(name: string) => boolean> {
  const absent: string[] = [];
  for (const name of ['.toolwright', '.agents', '.claude', '.qwen', '.gemini'])
    if ((await lookAt(join(folder, name))) === null) absent.push(`${name}/`);
  return (name) => !absent.some((above) => name.startsWith(above));
}

/** The files of other agents count for their hooks alone, and where they have none, not at all. */
async function addHooks(search: Examination, names: readonly string[]): Promise<SettingsCommand[]> {
  const commands: SettingsCommand[] = [];
  for (const name of names) {
    const path = join(search.folder, name);
    const bytes = (await lookAt(path)) ? await readSmallFile(path).catch(() => null) : null;
    if (!bytes?.includes('"hooks"')) continue;
    await addFile(search, path);
    commands.push(...(await addNamed(search, name, { section: 'hooks' })));
  }
  return commands;
}

/** Manifests of programs: a file of JSON in the folder of tools, but for tests. */
function manifestsIn({ fingerprint }: Examination): string[] {
  return [...fingerprint.keys()].filter((name) => /^\.toolwright\/tools\/[^/]+(?<!\.test)\.json$/.test(name));
}

/** Files of the extensions of a project that name commands. */
function filesOfExtensions({ fingerprint }: Examination): string[] {
  const named =
    /^\.toolwright\/extensions\/[^/]+\/(?:\.?mcp\.json|(?:qwen|gemini)-extension\.json|(?:\.claude-plugin\/)?plugin\.json|manifest\.json|hooks\/hooks\.json)$/;
  return [...fingerprint.keys()].filter((name) => named.test(name));
}

/** The files of the project that its settings, or a manifest beside a program, name in a command. */
async function addNamed(
  search: Examination,
  name: string,
  { beside, section }: { beside?: string; section?: string } = {},
): Promise<SettingsCommand[]> {
  if (!search.fingerprint.has(name)) return [];
  const bytes = await readSmallFile(join(search.folder, name)).catch(() => null);
  const { commands, words, isTooMuch } = await namedIn(name, bytes?.toString('utf8') ?? '', section);
  if (isTooMuch)
    throw tooMuch(search, `more commands in ${name} than anybody would read`, `Shorten ${name}.`);
  for (const { word, directory } of words) {
    await addTarget(search, resolve(search.folder, directory, word));
    if (beside) await addTarget(search, resolve(search.folder, beside, word));
  }
  return commands;
}

async function addTarget(search: Examination, target: string): Promise<void> {
  if (!isBelow(target, search.folder)) return;
  const isFolder = (await lookAt(target))?.kind === 'directory';
  for (const path of isFolder ? entryFiles.map((entry) => join(target, entry)) : [target]) {
    await addFile(search, path);
  }
}

/** Everything below a folder, once, wherever links lead. */
async function addAll(search: Examination, path: string, depth: number): Promise<void> {
  const found = await lookAt(path);
  if (found?.kind !== 'directory') return addFile(search, path);
  if (search.visited.has(found.identity) || (await isOwnState(search, path))) return;
  search.visited.add(found.identity);
  if (depth > MAX_DEPTH) throw tooMuch(search, `folders nested more than ${MAX_DEPTH} deep`);
  for (const name of await namesIn(path)) await addAll(search, join(path, name), depth + 1);
}

/** Adds the pieces of a folder, or only that it has too many files. */
async function addPieces(search: Examination, name: string): Promise<void> {
  const path = join(search.folder, name);
  if ((await lookAt(path))?.kind !== 'directory') return;
  const part: Examination = {
    ...search,
    fingerprint: new Map(),
    visited: new Set(),
    limits: pieceLimits,
    bytes: 0,
  };
  try {
    await addAll(part, path, 0);
    for (const [file, digest] of part.fingerprint) search.fingerprint.set(file, digest);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    search.fingerprint.set(name, TOO_MANY);
  }
}

/** An unreadable file can't run; becoming readable counts as a change. */
async function addFile(search: Examination, path: string): Promise<void> {
  search.signal.throwIfAborted();
  const { fingerprint, limits } = search;
  const name = relative(search.folder, path).split(sep).join('/');
  const found = await lookAt(path);
  if (!found || found.kind === 'directory' || fingerprint.has(name) || (await isOwnState(search, path)))
    return;
  if (fingerprint.size >= limits.files) throw tooMuch(search, `more than ${limits.files} files`);
  search.bytes += found.size;
  if (search.bytes > limits.bytes) throw tooMuch(search, `more than ${Math.ceil(limits.bytes / 2 ** 20)} MB`);
  fingerprint.set(name, (await hashOfFile(path, limits.bytes, search.signal)) ?? 'unreadable');
}

async function isOwnState({ stateFolder }: Examination, path: string): Promise<boolean> {
  if (stateFolder === undefined) return false;
  const real = await realPathOf(path);
  return real === stateFolder || isBelow(real, stateFolder);
}

/** The folder itself is not below it. */
function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

const lessFiles = 'Move what is not a tool out of .toolwright/tools and .toolwright/hooks.';

function tooMuch(search: Examination, what: string, advice = lessFiles): SettingsError {
  return new SettingsError(
    `${search.folder} has ${what} that could run, too much to be vouched for. ${advice}`,
  );
}
