import { homedir } from 'node:os';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { SettingsError } from '@toolwright/machine/base/errors.js';
import { isInside } from '@toolwright/machine/host/workspace.js';

type PathMatcher = (path: string) => boolean;
export type GlobCompiler = (pattern: string) => PathMatcher;

export interface PathContext {
  workspace: string;
  compileGlob: GlobCompiler;
  home?: string;
  /** A path after links, as far as it exists. */
  realPath?(path: string): string;
  /** The root that a path lies in. */
  rootOf?(path: string): string | undefined;
}

export interface PathRule {
  pattern: string;
  /** Denies or asks: then it also holds for what is meant, not only for what is written. */
  narrows: boolean;
  source: string;
}

/**
 * Relative to the workspace, `/` absolute, `~/` home; a folder covers its content. Paths are judged after links, so
 * a rule that narrows is read after links too, and a relative one counts in every root.
 */
export function pathMatcher(rule: PathRule, context: PathContext): PathMatcher {
  const { base, written } = placeOf(rule, context);
  const { plain, rest } = splitPlain(written);
  const folder = resolve(base, plain);
  const glob = rest === '' || rest === '**' ? null : context.compileGlob(rest);
  const { realPath = (path: string) => path, rootOf } = context;
  const other = rule.narrows ? realPath(folder) : respelled(folder, context.workspace, realPath);
  const inside = glob === null ? (): boolean => true : matchesOrLiesIn(glob);
  const places = new Map([folder, other].map((at) => [at, below(at, inside)]));
  const [first, second] = places.values();
  const inEveryRoot = rule.narrows && base === context.workspace;
  return (path) => {
    const absolute = resolved(path);
    if (first?.(absolute) || second?.(absolute)) return true;
    const root = inEveryRoot ? rootOf?.(absolute) : undefined;
    return root !== undefined && root !== base && below(resolve(root, plain), inside)(absolute);
  };
}

let last = { path: '/', absolute: '/' };

/** One path is held against all rules in turn. */
function resolved(path: string): string {
  if (path !== last.path) last = { path, absolute: resolve(path) };
  return last.absolute;
}

/** Holds what lies in a folder against a pattern, by the way from there. */
function below(folder: string, inside: PathMatcher): PathMatcher {
  const start = folder.endsWith(sep) ? folder : `${folder}${sep}`;
  return (path) =>
    path.startsWith(start) ? inside(path.slice(start.length)) : path === folder && inside('');
}

/** The folder or file that a rule names, and whether it is about all of it. */
export function namedPlace(rule: PathRule, context: PathContext): { path: string; whole: boolean } {
  const { base, written } = placeOf(rule, context);
  const { plain, rest } = splitPlain(written);
  return { path: resolve(base, plain), whole: rest === '' || rest === '**' };
}

function placeOf({ pattern, source }: PathRule, context: PathContext): { base: string; written: string } {
  if (pattern === '~' || pattern.startsWith('~/')) {
    const home = context.home ?? homedir();
    if (isAbsolute(home)) return { base: home, written: pattern.slice(2) };
    throw new SettingsError(
      `${source}: ${JSON.stringify(pattern)} needs a home directory, and HOME is ${JSON.stringify(home)}. Set HOME, or write the whole path.`,
    );
  }
  return isAbsolute(pattern)
    ? { base: '/', written: pattern.slice(1) }
    : { base: context.workspace, written: pattern };
}

/** The leading names that stand for themselves, and the pattern for what is below them. */
function splitPlain(pattern: string): { plain: string; rest: string } {
  const names = pattern.split('/').filter((name, index) => name !== '' || index === 0);
  const special = names.findIndex((name) => /[*?[\]{}()|\\]/.test(name));
  const end = special === -1 ? names.length : special;
  return { plain: names.slice(0, end).join('/'), rest: names.slice(end).join('/') };
}

/** The same folder as the workspace spells it; a link inside the workspace makes no rule that allows reach further. */
function respelled(folder: string, workspace: string, realPath: (path: string) => string): string {
  if (isInside(folder, workspace)) return folder;
  const real = realPath(folder);
  if (isInside(workspace, real)) return real;
  for (let above = folder; dirname(above) !== above; above = dirname(above)) {
    if (realPath(above) === workspace) return join(workspace, relative(above, folder));
  }
  return folder;
}

const MOST_REMEMBERED = 20_000;

/**
 * Matches a path by itself or by a folder above it: `a/b/c` also by `a` and `a/b`. The result for a folder is remembered,
 * because before each command all files are asked about, and the many of one folder have those above in common.
 */
function matchesOrLiesIn(glob: PathMatcher): PathMatcher {
  const folders = new Map<string, boolean>();
  const ofFolder = (path: string): boolean => {
    const known = folders.get(path);
    if (known !== undefined) return known;
    if (folders.size >= MOST_REMEMBERED) folders.clear();
    const matches = ofPath(path);
    folders.set(path, matches);
    return matches;
  };
  const ofPath = (path: string): boolean => {
    const end = path.lastIndexOf('/');
    return (end !== -1 && ofFolder(path.slice(0, end))) || glob(path);
  };
  return sep === '/' ? ofPath : (path) => ofPath(path.replaceAll(sep, '/'));
}
