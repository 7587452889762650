import { realpathSync, statSync } from 'node:fs';
import { join, parse, relative, resolve as resolvePath, sep } from 'node:path';
import { SettingsError, ToolError } from '../base/errors.js';
import { foreignName, foreignText } from '../base/sentences/foreign-text.js';
import { here, type Place } from './plain-files/place.js';

/** A folder the file tools may work in. */
export interface Root {
  /** Absolute, after links. */
  path: string;
  access: 'write' | 'read';
}

/** Path arithmetic inside the roots; touches no files. `host/files` confines again when a path is used. */
export interface Workspace {
  /** The first root: where relative paths start. */
  readonly directory: string;
  readonly roots: readonly Root[];
  /** Leads to the files of the roots. */
  readonly place: Place;
  /**
   * The absolute path inside a root; throws `outside_workspace` otherwise. Refuses NUL. A root's given spelling
   * becomes its real one.
   */
  resolve(path: string): string;
  /** The root that contains an absolute path; the innermost if roots are nested. */
  rootOf(path: string): Root | undefined;
  /** The path as it is shown: relative to the workspace with `/`, absolute in other roots. */
  show(path: string): string;
}

/** The workspace of a session, which adds folders of its own, such as its output folder. */
export interface SessionWorkspace extends Workspace {
  addReadOnlyRoot(path: string): Root;
}

interface WorkspaceOptions {
  directory: string;
  include?: readonly Root[];
  /** Default: every file at its own path. */
  place?: Place;
}

/** A root with the spelling it was named by. */
export interface NamedRoot extends Root {
  /** Absolute, as given, before links. */
  given: string;
}

/** Limit of system calls, without the final NUL; longer paths could be walked but not passed to other programs. */
const longestPath = 4095;
const longestName = 255;

/** The folders that a session may work in, with the paths resolved inside them. */
export function createWorkspace({ directory, include = [], place }: WorkspaceOptions): SessionWorkspace {
  const first = realRoot(resolvePath(directory), 'write');
  const roots: NamedRoot[] = [first];
  const add = (path: string, access: Root['access']): Root => {
    const root = realRoot(resolvePath(first.path, path), access);
    const known = roots.find((each) => each.path === root.path);
    if (!known) roots.push(root);
    return known ?? root;
  };
  for (const { path, access } of include) add(path, access);
  return { ...workspaceOf(roots, place), addReadOnlyRoot: (path) => add(path, 'read') };
}

/** The workspace over roots that are real already; more may be added to the list. */
export function workspaceOf(roots: readonly NamedRoot[], place = here): Workspace {
  const directory = roots[0]!.path;
  return {
    directory,
    roots,
    place,
    resolve: (path) => resolveInside(path, roots),
    rootOf: (path) => innermost(path, roots),
    show: (path) => showPath(path, directory),
  };
}

function realRoot(given: string, access: Root['access']): NamedRoot {
  let path: string;
  try {
    path = realpathSync.native(given);
    // In place of bytes that are no UTF-8, or written so.
    if (path.includes('\uFFFD'))
      path = new TextDecoder('utf-8', { fatal: true }).decode(realpathSync.native(given, 'buffer'));
    if (!statSync(path).isDirectory()) throw new SettingsError(`${given} is not a folder.`);
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    if (error instanceof TypeError) throw new SettingsError(`The name of the folder ${given} is not UTF-8.`);
    throw new SettingsError(`The folder ${given} can't be used: it does not exist or can't be entered.`, {
      cause: error,
    });
  }
  return { path, access, given };
}

/** The path after links, as far as it exists, for files outside the roots. Those of the roots: see `Workspace.place`. */
export function afterLinks(path: string): string {
  return here.afterLinks(path);
}

/** Compares whole segments: `/work-old` is not inside `/work`. */
export function isInside(path: string, folder: string): boolean {
  // Searches ask this of every file several times, so nothing is joined here.
  if (!path.startsWith(folder)) return false;
  return path.length === folder.length || path[folder.length] === sep || folder.endsWith(sep);
}

function innermost(path: string, roots: readonly NamedRoot[]): NamedRoot | undefined {
  let found: NamedRoot | undefined;
  for (const root of roots) {
    if (isInside(path, root.path) && (!found || root.path.length > found.path.length)) found = root;
  }
  return found;
}

function resolveInside(path: string, roots: readonly NamedRoot[]): string {
  refuseUnusable(path);
  const first = roots[0]!;
  const absolute = resolvePath(first.path, path);
  refuseUnusableNames(absolute);
  if (innermost(absolute, roots)) return absolute;
  for (const root of roots) {
    if (isInside(absolute, root.given)) return join(root.path, relative(root.given, absolute));
  }
  throw outsideWorkspace(path, roots);
}

function refuseUnusable(path: string): void {
  if (path.trim() === '') {
    const what = path === '' ? 'empty' : 'blank';
    throw new ToolError('invalid_params', `The path is ${what}. Use "." for the workspace folder.`);
  }
  if (path.includes('\0')) {
    throw new ToolError('invalid_params', 'The path contains a NUL character, which no file name can hold.');
  }
  if (/\p{Surrogate}/u.test(path)) {
    throw new ToolError('invalid_params', 'The path contains half of a surrogate pair, so it names no file.');
  }
  if (path === '~' || path.startsWith('~/')) {
    throw new ToolError(
      'invalid_params',
      `"~" is not expanded. Give the absolute path, or "./${foreignText(path)}" for an entry really named "~".`,
    );
  }
}

function refuseUnusableNames(path: string): void {
  const bytes = Buffer.byteLength(path);
  if (bytes > longestPath) {
    throw new ToolError(
      'invalid_params',
      `The path is ${bytes} bytes long; at most ${longestPath} can be used: ${foreignText(path)}`,
    );
  }
  const names = path.slice(parse(path).root.length).split(sep);
  const name = names.find((each) => each.length * 3 > longestName && Buffer.byteLength(each) > longestName);
  if (name !== undefined) {
    throw new ToolError(
      'invalid_params',
      `A file name in the path is ${Buffer.byteLength(name)} bytes long; at most ${longestName} can be used: ${foreignText(name)}`,
    );
  }
  if (process.platform !== 'win32') return;
  for (const each of names) {
    const problem = problemOfWindowsName(each);
    if (problem) throw new ToolError('invalid_params', `${foreignText(each)} ${problem}.`);
  }
}

/** Names the roots and how to add one; `leadsTo` is the target of a link inside them. */
export function outsideWorkspace(path: string, roots: readonly Root[], leadsTo?: string): ToolError {
  const names = roots.map((root) =>
    root.access === 'read' ? `${foreignText(root.path)} (read-only)` : foreignText(root.path),
  );
  const what = leadsTo === undefined ? 'is' : `is a link that leads to ${foreignText(leadsTo)},`;
  return new ToolError(
    'outside_workspace',
    `${foreignText(path)} ${what} outside the folders this session may use: ${names.join(', ')}. ` +
      'Use a path inside them; the user can add a folder by starting with --include-directories <folder>.',
  );
}

/** The path as a user reads it: relative to the folder where it lies there. */
export function showPath(path: string, directory: string): string {
  if (path === directory) return '.';
  return foreignName(isInside(path, directory) ? relative(directory, path).split(sep).join('/') : path);
}

/** `~/…` for what lies in the home. A slash at the end stays. */
export function pathFromHome(path: string, home: string): string {
  const isFolder = path.endsWith('/') && path !== '/';
  if (home === '/' || !isInside(path, home)) return path;
  const inside = relative(home, path);
  return `~${inside === '' ? '' : `/${inside}`}${isFolder ? '/' : ''}`;
}

/**
 * Says what is wrong with a name that Windows takes for something other than a file: a device, a stream of a file, a
 * name that ends in dots or blanks. Null for a good one.
 */
export function problemOfWindowsName(name: string): string | null {
  if (/[<>:"|?*\u0000-\u001f]/.test(name)) return 'contains a character that Windows does not allow in names';
  if (/[. ]$/.test(name)) return 'ends with a dot or a blank, which Windows drops';
  if (/^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:\.|$)/i.test(name)) {
    return 'is the name of a device on Windows';
  }
  return null;
}
