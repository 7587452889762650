import { basename, dirname, extname, join, resolve } from 'node:path';
import { realPathOf } from '../state/inspect-files.js';
import {
  add,
  addPackageFolder,
  type CodeSearch,
  hasSeenEnough,
  isFile,
  isFirstVisit,
  isFolder,
  isInRoots,
  type Start,
  sourceOf,
} from './code-search.js';
import type { Language } from './command-table.js';
import { javaScriptImports, pythonImports, rubyImports, shellCommands } from './imports.js';
import { addWholePackage, fileFor, filesForImport, packageAround } from './node-packages.js';

/** Follows a command of a script; passed in, because command lines are read in another file. */
export type FollowCommand = (search: CodeSearch, words: readonly string[], at: Start) => Promise<void>;

export interface FollowOptions {
  /** Decided by the file's name or first line unless given. */
  language?: Language | undefined;
  at: Start;
  command: FollowCommand;
}

const DEEPEST = 8;
const BY_ENDING: readonly [RegExp, Language][] = [
  [/\.[cm]?[jt]sx?$/i, 'javascript'],
  [/\.pyw?$/i, 'python'],
  [/\.(sh|bash|zsh|ksh)$/i, 'shell'],
  [/\.rb$/i, 'ruby'],
];
const BY_FIRST_LINE: readonly [RegExp, Language][] = [
  [/\b(node|deno|bun|tsx|ts-node)\b/, 'javascript'],
  [/\b(python[\d.]*|pypy[\d.]*|uv)\b/, 'python'],
  [/\b(ba|da|z|k)?sh\b/, 'shell'],
  [/\bruby\b/, 'ruby'],
];

/** Adds a file that runs and what it loads. If that can't be read, its whole package counts. */
export async function followFile(search: CodeSearch, path: string, options: FollowOptions): Promise<void> {
  await add(search, path);
  const file = await realPathOf(path);
  if (!isInRoots(search, file) || !(await isFile(file))) return;
  // Enough was seen: imports of the remaining files are not examined.
  if (hasSeenEnough(search)) return addPackageFolder(search, file);
  if (!isFirstVisit(search, file)) return;
  const around = await packageAround(search, file);
  if (around !== null) return addWholePackage(search, around);
  const source = await sourceOf(file);
  if (source === null) {
    // A compiled program contains all of itself but libraries, which the system looks up; a source too long to be
    // read does not.
    if (BY_ENDING.some(([ending]) => ending.test(file))) await addPackageFolder(search, file);
    return;
  }
  await followFirstLine(search, source, options);
  const language = options.language ?? languageOf(file, source);
  if (language === 'other' && isData(file)) return;
  const at = language === 'shell' ? { ...options.at, file } : options.at;
  return followSource(search, file, { ...options, at, language, source });
}

function isData(file: string): boolean {
  return /\.(json|toml|ya?ml|txt|md|csv|xml|html?|env(\.\w+)?)$/i.test(file);
}

/** Follows code that was given to an interpreter as an argument or on standard input. */
export async function followInline(
  search: CodeSearch,
  source: string,
  options: FollowOptions & { language: Language },
): Promise<void> {
  return followSource(search, join(options.at.directory, '-'), { ...options, source });
}

/** Adds what a source loads; `file` is the place that its imports start from. */
async function followSource(
  search: CodeSearch,
  file: string,
  { language, ...source }: WithSource & { language: Language },
): Promise<void> {
  switch (language) {
    case 'javascript':
      return followJavaScript(search, file, source);
    case 'python':
      return followPython(search, file, source);
    case 'ruby':
      return followRuby(search, file, source);
    case 'shell':
      return followShell(search, source.source, source);
    case 'other':
      return addPackageFolder(search, file);
  }
}

/** Follows the interpreter and its options in `#!/usr/bin/env -S node --import ./hook.mjs`. */
async function followFirstLine(
  search: CodeSearch,
  source: string,
  { at, command }: FollowOptions,
): Promise<void> {
  const words = /^#![ \t]*([^\r\n]*)/.exec(source)?.[1]?.trim().split(/\s+/) ?? [];
  if (words.length > 0 && at.depth <= DEEPEST) await command(search, words, { ...at, depth: at.depth + 1 });
}

async function followStarted(
  search: CodeSearch,
  commands: readonly string[][],
  { at, command }: FollowOptions,
): Promise<void> {
  if (at.depth > DEEPEST) return;
  for (const words of commands) await command(search, words, { ...at, depth: at.depth + 1 });
}

function languageOf(file: string, source: string): Language {
  const byEnding = BY_ENDING.find(([ending]) => ending.test(basename(file)));
  if (byEnding) return byEnding[1];
  const [first = ''] = source.split('\n', 1);
  return (first.startsWith('#!') && BY_FIRST_LINE.find(([name]) => name.test(first))?.[1]) || 'other';
}

interface WithSource extends FollowOptions {
  source: string;
}

async function followJavaScript(
  search: CodeSearch,
  file: string,
  { source, ...options }: WithSource,
): Promise<void> {
  const { names, commands, isIncomplete } = javaScriptImports(source);
  if (isIncomplete) await addPackageFolder(search, file);
  await followStarted(search, commands, options);
  for (const name of names)
    for (const next of await filesForImport(search, name, file))
      if (extname(next) !== '.json') await followFile(search, next, { ...options, language: 'javascript' });
}

async function followPython(
  search: CodeSearch,
  file: string,
  { source, ...options }: WithSource,
): Promise<void> {
  const { names, commands, isIncomplete } = pythonImports(source);
  if (isIncomplete) await addPackageFolder(search, file);
  await followStarted(search, commands, options);
  const places = pythonPlaces(search, dirname(file), options.at);
  for (const name of names)
    for (const next of await pythonFiles(search, name, { file, places }))
      await followFile(search, next, { ...options, language: 'python' });
}

/** Folders in the roots where modules are looked for, the script's own first. */
function pythonPlaces(
  search: CodeSearch,
  first: string,
  { environment, directory, modules }: Start,
): string[] {
  const named = (environment['PYTHONPATH'] ?? '').split(':').filter((place) => place !== '');
  return [modules ?? first, ...named.map((place) => resolve(directory, place))].filter((place) =>
    isInRoots(search, place),
  );
}

/** Follows a script whose folder becomes the first one in which modules are looked for. */
export async function followPythonEntry(
  search: CodeSearch,
  path: string,
  options: FollowOptions,
): Promise<void> {
  const modules = dirname(path);
  await addShadows(search, modules);
  await followFile(search, path, { ...options, language: 'python', at: { ...options.at, modules } });
}

export async function followPythonModule(
  search: CodeSearch,
  name: string,
  options: FollowOptions,
): Promise<void> {
  const { directory } = options.at;
  const at = { ...options.at, modules: directory };
  await addShadows(search, directory);
  const places = pythonPlaces(search, directory, at);
  const files = [
    ...(await pythonFiles(search, name, { file: join(directory, '-'), places })),
    ...(await pythonFiles(search, `${name}.__main__`, { file: join(directory, '-'), places })),
  ];
  for (const file of files) await followFile(search, file, { ...options, at, language: 'python' });
}

/** Adds files that would be loaded in place of Python's own modules: those beside the script come first. */
export async function addShadows(search: CodeSearch, folder: string): Promise<void> {
  if (!isInRoots(search, folder)) return;
  for (const name of PYTHON_MODULES) {
    search.found.add(join(folder, `${name}.py`));
    search.found.add(join(folder, name));
  }
}

async function pythonFiles(
  search: CodeSearch,
  name: string,
  { file, places }: { file: string; places: readonly string[] },
): Promise<string[]> {
  const dots = /^\.*/.exec(name)?.[0].length ?? 0;
  const segments = name.slice(dots).split('.').filter(Boolean);
  const starts = dots === 0 ? places : [resolve(dirname(file), ...Array<string>(dots - 1).fill('..'))];
  for (const start of starts) {
    const found = await pythonModule(search, start, segments);
    if (found.length > 0) return found;
  }
  return [];
}

/** The files of a module and of the packages around it. */
async function pythonModule(
  search: CodeSearch,
  start: string,
  segments: readonly string[],
): Promise<string[]> {
  const files: string[] = [];
  let folder = start;
  if (segments.length === 0)
    return (await isFile(join(start, '__init__.py'))) ? [join(start, '__init__.py')] : [];
  for (const segment of segments) {
    const [asFile, asFolder] = [join(folder, `${segment}.py`), join(folder, segment)];
    const init = join(asFolder, '__init__.py');
    if (await isFile(init)) files.push(init);
    else if (await isFile(asFile)) {
      // A package of that name, if somebody made one, would be loaded before the module.
      await add(search, asFolder);
      return [...files, asFile];
    } else if (!(await isFolder(asFolder))) {
      // The last segment may be a name inside a module that was found.
      if (files.length === 0) for (const missing of [asFile, asFolder]) await add(search, missing);
      return files;
    } else await add(search, init);
    folder = asFolder;
  }
  return files;
}

async function followRuby(
  search: CodeSearch,
  file: string,
  { source, ...options }: WithSource,
): Promise<void> {
  const { names, isIncomplete } = rubyImports(source);
  if (isIncomplete) await addPackageFolder(search, file);
  for (const name of names) {
    const path = resolve(dirname(file), name);
    for (const candidate of [path, `${path}.rb`])
      await followFile(search, candidate, { ...options, language: 'ruby' });
  }
}

async function followShell(
  search: CodeSearch,
  source: string,
  { at, command }: FollowOptions & { at: Start & { file?: string } },
): Promise<void> {
  const file = at.file ?? join(at.directory, '-');
  if (at.depth > DEEPEST) return addPackageFolder(search, file);
  let { directory, environment } = at;
  for (const { words, isIncomplete } of shellCommands(source, dirname(file))) {
    if (isIncomplete) await addPackageFolder(search, file);
    const [first, second] = words;
    if (first === undefined) continue;
    if (/^(cd|pushd)$/.test(first) && second !== undefined) directory = resolve(directory, second);
    else if (words.every((word) => /^\w+=/.test(word)))
      environment = { ...environment, ...variablesOf(words) };
    else if (first === '.' || first === 'source')
      await followFile(search, resolve(directory, second ?? ''), {
        language: 'shell',
        at: { ...at, directory, environment },
        command,
      });
    else await command(search, words, { ...at, directory, environment, depth: at.depth + 1 });
  }
}

function variablesOf(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(words.map((word) => [word.split('=', 1)[0], word.replace(/^\w+=/, '')]));
}

/** Follows a path that runs as JavaScript: a file, or a folder with an entry. */
export async function followEntry(search: CodeSearch, path: string, options: FollowOptions): Promise<void> {
  const found = await fileFor(search, path);
  if (found !== null) await followFile(search, found, options);
}

/**
 * Python modules that nearly every program loads, directly or indirectly. A file of that name beside a script is
 * loaded in their place.
 */
const PYTHON_MODULES =
  'abc argparse array ast asyncio base64 binascii bisect bz2 calendar codecs collections concurrent configparser contextlib contextvars copy copyreg csv ctypes dataclasses datetime decimal difflib dis email encodings enum errno fnmatch fractions functools gc genericpath getopt getpass gettext glob graphlib gzip hashlib heapq hmac html http importlib inspect io ipaddress itertools json keyword linecache locale logging lzma math mimetypes multiprocessing numbers opcode operator os pathlib pickle pkgutil platform posixpath pprint queue quopri random re reprlib resource secrets select selectors shlex shutil signal site sitecustomize socket socketserver sqlite3 ssl stat statistics string stringprep struct subprocess sysconfig tarfile tempfile textwrap threading time token tokenize tomllib traceback types typing unicodedata unittest urllib usercustomize uuid warnings weakref xml zipfile zipimport zlib zoneinfo'.split(
    ' ',
  );
