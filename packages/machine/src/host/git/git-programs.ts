import { existsSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { orNull } from '../../base/errors.js';
import { steadyNow } from '../deadline.js';
import { here, type Place } from '../plain-files/place.js';
import { readRegularFile } from '../plain-files/regular-file.js';
import { type Environment, usableHome } from '../state/state-folder.js';
import { isInside, type Workspace } from '../workspace.js';
import { configurationFiles } from './git-configurations.js';

/** A file or folder that git takes programs or orders from, and the reason as the user reads it. */
interface GitProgram {
  /** Absolute, after links. */
  path: string;
  why: string;
}

const REMEMBERED_MS = 2_000;

/** Looks in the repositories of the roots and, given a path, also in the one around it. */
type FindGitPrograms = (path?: string) => readonly GitProgram[];

interface GitProgramsOptions {
  /** Roots may be added later. */
  workspace: Pick<Workspace, 'roots'> & Partial<Pick<Workspace, 'place'>>;
  environment: Environment;
}

/** Repeats the search only after a while: users rarely move their hooks between two calls. */
export function rememberGitPrograms({ workspace, environment }: GitProgramsOptions): FindGitPrograms {
  const { place = here } = workspace;
  const rootPaths = (): string[] => workspace.roots.map(({ path }) => path);
  const known = new Map<string, { until: number; found: readonly GitProgram[] }>();
  const programsIn = (folder: string): readonly GitProgram[] => {
    const last = known.get(folder);
    if (last !== undefined && steadyNow() <= last.until) return last.found;
    const found = gitPrograms([folder], { roots: rootPaths(), environment, place });
    known.set(folder, { until: steadyNow() + REMEMBERED_MS, found });
    return found;
  };
  return (path) => {
    const roots = rootPaths();
    const around = path === undefined ? null : repositoryAround(path, roots, place);
    return [...roots, ...(around === null ? [] : [around])].flatMap(programsIn);
  };
}

/** The nearest folder with a `.git` above a path, inside its root. */
function repositoryAround(path: string, roots: readonly string[], place: Place): string | null {
  for (let folder = dirname(path); roots.some((root) => folder !== root && isInside(folder, root)); ) {
    if (existsSync(place.at(join(folder, '.git')))) return folder;
    folder = dirname(folder);
  }
  return null;
}

/**
 * Finds hook folders, included configuration files, and programs that git's configuration names, by reading the
 * repository of each folder and the configuration of the user and the machine.
 */
export function gitPrograms(
  folders: readonly string[],
  { roots, environment, place = here }: { roots: readonly string[]; environment: Environment; place?: Place },
): GitProgram[] {
  const home = usableHome(environment);
  const common = readSettings(commonFiles(environment, home), home, place);
  const found = new Map<string, GitProgram>();
  for (const { tree, files } of folders.flatMap((folder) => configurationFiles(folder, place))) {
    const own = readSettings(files, home, place);
    for (const program of [
      ...own.included.map((path) => ({ path, why: 'git takes settings from it' })),
      ...[...common.settings, ...own.settings].flatMap((setting) =>
        programsOf(setting, { tree, roots, home, place }),
      ),
    ]) {
      const path = place.afterLinks(program.path);
      if (!found.has(path)) found.set(path, { ...program, path });
    }
  }
  return [...found.values()];
}

/** The configuration files of the user and of the machine. */
function commonFiles(environment: Environment, home: string | undefined): string[] {
  const inHome = (path: string): string[] => (home === undefined ? [] : [join(home, path)]);
  const { XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM } = environment;
  return [
    ...['/etc/gitconfig', '/usr/local/etc/gitconfig', '/opt/homebrew/etc/gitconfig'],
    ...(XDG_CONFIG_HOME ? [join(XDG_CONFIG_HOME, 'git/config')] : inHome('.config/git/config')),
    ...inHome('.gitconfig'),
    ...[GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM].filter((path) => path !== undefined),
  ];
}

const MOST_FILES = 100;
const LARGEST_BYTES = 1024 * 1024;

interface Settings {
  settings: GitSetting[];
  /** Included files, whether they exist or not. */
  included: string[];
}

/**
 * Reads configuration files and what they include, whatever the condition: git decides from moment to moment which of
 * them count.
 */
function readSettings(files: readonly string[], home: string | undefined, place: Place): Settings {
  const result: Settings = { settings: [], included: [] };
  const pending = [...files];
  const seen = new Set<string>();
  for (let file = pending.shift(); file !== undefined && seen.size < MOST_FILES; file = pending.shift()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const setting of parseGitConfig(textOf(place.follow(file)))) {
      result.settings.push(setting);
      if (!/^include(if\..*)?\.path$/.test(setting.key)) continue;
      const included = named(setting.value, dirname(file), home);
      result.included.push(included);
      pending.push(included);
    }
  }
  return result;
}

function textOf(file: string): string {
  return orNull(() => readRegularFile(file, LARGEST_BYTES).toString('utf8')) ?? '';
}

function named(value: string, from: string, home: string | undefined): string {
  return value.startsWith('~/') && home !== undefined ? join(home, value.slice(2)) : resolve(from, value);
}

const RUNS =
  /^(core\.(fsmonitor|sshcommand|pager|editor|gitproxy|askpass|alternaterefscommand)|sequence\.editor|diff\.external|pager\..*|alias\..*|uploadpack\.packobjectshook|.*\.(command|textconv|driver|clean|smudge|process|program|helper|cmd|defaultkeycommand|difffilter))$/;

interface ProgramFolders {
  tree: string;
  roots: readonly string[];
  home: string | undefined;
  place: Place;
}

/** Programs that a setting names, relative to the top of the work tree, where git starts them. */
function programsOf({ key, value }: GitSetting, { tree, roots, home, place }: ProgramFolders): GitProgram[] {
  if (key === 'core.hookspath') return hooksIn(named(value, tree, home), roots, place);
  if (!RUNS.test(key.toLowerCase())) return [];
  const words = value.match(/[^\s"'();&|!<>]+/g) ?? [];
  return words
    .map((word) => named(word, tree, home))
    .filter((path) => roots.some((root) => isInside(path, root)) && isFile(place.follow(path)))
    .map((path) => ({ path, why: `git runs it (${key})` }));
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

const HOOKS = [
  ...['applypatch-msg', 'pre-applypatch', 'post-applypatch', 'pre-commit', 'pre-merge-commit'],
  ...['prepare-commit-msg', 'commit-msg', 'post-commit', 'pre-rebase', 'post-checkout', 'post-merge'],
  ...['pre-push', 'pre-receive', 'update', 'proc-receive', 'post-receive', 'post-update'],
  ...['reference-transaction', 'push-to-checkout', 'pre-auto-gc', 'post-rewrite', 'sendemail-validate'],
  ...['fsmonitor-watchman', 'p4-changelist', 'p4-prepare-changelist', 'p4-post-changelist', 'p4-pre-submit'],
  'post-index-change',
];

/** The hook folder; or, if it contains a root, the names of hooks in it. */
function hooksIn(folder: string, roots: readonly string[], place: Place): GitProgram[] {
  if (!isAbsolute(folder) || folder === '/dev/null') return [];
  const why = 'git looks for hooks there (core.hooksPath)';
  const holdsRoot = roots.some((root) => isInside(root, place.afterLinks(folder)));
  return (holdsRoot ? HOOKS.map((name) => join(folder, name)) : [folder]).map((path) => ({ path, why }));
}

/** A setting of a git configuration: `core.hookspath`, `filter.lfs.clean`, `includeif.gitdir:~/work/.path`. */
interface GitSetting {
  /** Section and key in lower case; a quoted name between them as written. */
  key: string;
  value: string;
}

/** Parses a git configuration in order. Lines that git would not understand are left out. */
export function parseGitConfig(text: string): GitSetting[] {
  const settings: GitSetting[] = [];
  let section = '';
  let rest = text.replace(/^\ufeff/, '').replace(/\r\n/g, '\n');
  while (rest !== '') {
    rest = rest.replace(/^(?:\s+|[#;][^\n]*)+/, '');
    const header = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\\n]|\\.)*)")?\s*\]/.exec(rest);
    const name = header ? null : /^([A-Za-z][\w-]*)[ \t]*/.exec(rest);
    if (header) {
      section =
        header[1]!.toLowerCase() + (header[2] === undefined ? '' : `.${header[2].replace(/\\(.)/g, '$1')}`);
      rest = rest.slice(header[0].length);
    } else if (name) {
      const after = rest.slice(name[0].length);
      const { value, length } = after.startsWith('=')
        ? readValue(after.slice(1))
        : { value: 'true', length: -1 };
      settings.push({ key: `${section}.${name[1]!.toLowerCase()}`, value });
      rest = after.slice(length + 1);
    } else {
      rest = rest.slice(rest.indexOf('\n') + 1 || rest.length);
    }
  }
  return settings;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b' };

/**
 * Reads a value up to the end of the line: quotes hold blanks and comments, a backslash at the end continues on the
 * next line.
 */
function readValue(text: string): { value: string; length: number } {
  let value = '';
  /** Length of the value without trailing blanks. */
  let end = 0;
  let isQuoted = false;
  let at = 0;
  for (; at < text.length; at++) {
    const character = text[at]!;
    if (character === '\n') break;
    if (!isQuoted && (character === '#' || character === ';')) {
      const line = text.indexOf('\n', at);
      at = line === -1 ? text.length : line;
      break;
    }
    if (character === '"') {
      isQuoted = !isQuoted;
      end = value.length;
    } else if (character === '\\') {
      at++;
      const next = text[at] ?? '';
      if (next === '\n') continue;
      value += escapes[next] ?? next;
      end = value.length;
    } else if (isQuoted || !/\s/.test(character)) {
      value += character;
      end = value.length;
    } else if (value !== '') value += character;
  }
  return { value: value.slice(0, end), length: at };
}
