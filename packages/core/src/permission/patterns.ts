import { homedir } from 'node:os';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { CommandWords, Effect } from '@toolwright/machine/base/effect.js';
import { SettingsError } from '@toolwright/machine/base/errors.js';
import { didYouMean, nearest } from '@toolwright/machine/base/nearest.js';
import { hostMatcher } from '@toolwright/machine/base/patterns/host-pattern.js';
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

interface PathRule {
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

interface ShellRule {
  pattern: string;
  source: string;
}

/** Unquoted, these mean something to a shell that a rule can't mean. */
const SPECIAL = /[*?[\]{}|&;<>()$`]/;

/** The words of a `Shell(…)` rule, read with the quoting of a shell: `git commit -m "a b"` has four. */
export function ruleWords({ pattern, source }: ShellRule): string[] {
  const mistake = (problem: string): SettingsError =>
    new SettingsError(`${source}: the rule ${JSON.stringify(`Shell(${pattern})`)} ${problem}`);
  const words: string[] = [];
  let word: string | null = null;
  for (const [piece] of pattern.matchAll(/'[^']*'|"(?:\\.|[^"\\])*"|\\.|\s+|./gsu)) {
    if (/^\s/u.test(piece)) {
      if (word !== null) words.push(word);
      word = null;
    } else if (piece.length > 1) {
      word = (word ?? '') + unquoted(piece);
    } else if (piece === "'" || piece === '"') {
      throw mistake(`opens a quote ${piece} and does not close it.`);
    } else if (piece === '*') {
      throw mistake(
        'has a *. A rule names the first words of a command, whatever follows: Shell(git log), not Shell(git log *). For a real star write "*".',
      );
    } else if (SPECIAL.test(piece)) {
      throw mistake(
        `has a ${piece}, which no word of a command is. Name one command; each command of a compound needs a rule of its own. In quotes it stands for itself.`,
      );
    } else {
      word = (word ?? '') + piece;
    }
  }
  if (word !== null) words.push(word);
  if (words[0] === '' || words.length === 0) throw mistake('names no program.');
  return words;
}

function unquoted(piece: string): string {
  if (piece.startsWith("'")) return piece.slice(1, -1);
  if (piece.startsWith('"')) return piece.slice(1, -1).replace(/\\([$`"\\\n])/g, (_, kept: string) => kept);
  return piece.slice(1);
}

/** A rule for these words, quoted where a rule needs it. */
export function shellRule(words: readonly string[]): string {
  return `Shell(${words.map(quoted).join(' ')})`;
}

function quoted(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * True if a command of this program may begin with these words when it runs: a word that is not known yet can become any
 * number of words, one with a pattern whatever file has such a name, a program may be called by its path, and options
 * may stand between (`git -C . push`).
 */
export function mayBeginWith(
  [program, ...others]: CommandWords,
  [name, ...words]: readonly string[],
): boolean {
  if (typeof program !== 'string' || name === undefined) return false;
  if (program !== name && !program.endsWith(`/${name}`)) return false;
  let places = [0];
  for (const word of words) {
    const next = new Set<number>();
    for (const place of pastOptions(others, places)) {
      const found = others[place];
      if (found === null || (found !== undefined && /[*?[]/.test(found))) return true;
      if (found === word) next.add(place + 1);
    }
    places = [...next];
  }
  return places.length > 0;
}

/** These places, and those behind options there, with and without a value; an unknown word that is a value is none. */
function pastOptions(words: CommandWords, from: readonly number[]): number[] {
  const places = new Set(from);
  const values = new Set<number>();
  for (const place of places) {
    const word = words[place];
    if (typeof word !== 'string' || !/^-./.test(word)) continue;
    places.add(place + 1);
    if (word.includes('=') || word.startsWith('--no-')) continue;
    places.add(place + 2);
    if (words[place + 1] === null) values.add(place + 1);
  }
  return [...places].filter((place) => !values.has(place));
}

/** `server` for all its tools, or `server/tool`. */
export function mcpMatcher({
  pattern,
  source,
}: {
  pattern: string;
  source: string;
}): (server: string, tool: string) => boolean {
  const written = pattern.trim();
  const slash = written.indexOf('/');
  const server = slash === -1 ? written : written.slice(0, slash);
  const tool = slash === -1 ? undefined : written.slice(slash + 1);
  if (server === '' || tool === '' || /[*\s]/.test(written)) {
    throw new SettingsError(
      `${source}: the rule ${JSON.stringify(`Mcp(${pattern})`)} names no server or tool. Write Mcp(server) for all its tools, or Mcp(server/tool).`,
    );
  }
  return (actualServer, actualTool) => actualServer === server && (tool ?? actualTool) === actualTool;
}

interface OutsideRule {
  pattern: string;
  verdict: 'allow' | 'ask' | 'deny';
  source: string;
}

const KINDS = ['read', 'write', 'ssh-agent', 'host'];

/** `read PATH`, `write PATH`, `ssh-agent` or `host HOST`: what a command may reach beyond its sandbox. */
export function outsideMatcher(rule: OutsideRule, context: PathContext): (effect: Effect) => boolean {
  const { verdict, source } = rule;
  const [kind = '', ...words] = rule.pattern.trim().split(/\s+/);
  const named = rule.pattern.trim().slice(kind.length).trim();
  const mistake = (problem: string): SettingsError =>
    new SettingsError(`${source}: the rule ${JSON.stringify(`Outside(${rule.pattern})`)} ${problem}`);
  if (!KINDS.includes(kind)) {
    const forms = 'Write Outside(read PATH), Outside(write PATH), Outside(ssh-agent) or Outside(host HOST).';
    const hint = `${didYouMean(nearest(kind, KINDS, 1))} ${forms}`.trimStart();
    throw mistake(`begins with ${JSON.stringify(kind)}. ${hint}`);
  }
  if (kind === 'ssh-agent') {
    if (words.length > 0) throw mistake('names something after ssh-agent. Write Outside(ssh-agent).');
    return (effect) => effect.kind === 'outside' && effect.access === 'ssh-agent';
  }
  if (named === '') throw mistake(`names no ${kind === 'host' ? 'host' : 'path'} after ${kind}.`);
  const narrows = verdict !== 'allow';
  if (kind === 'host') {
    const matches = hostMatcher({ pattern: named, narrows, source }, `Outside(host ${named})`);
    return (effect) => reachesHost(effect, matches, narrows);
  }
  if (!/^(?:\/|~(?:\/|$))/.test(named))
    throw mistake('names a path in the workspace. Write the whole path, or one that begins with ~/.');
  const matches = pathMatcher({ pattern: named, narrows, source }, context);
  // A writable place may be read, so a rule that allows writing allows both, and one that denies reading denies both.
  const isBoth = (kind === 'write') === (verdict === 'allow');
  const holds = narrows ? mayHold({ pattern: named, narrows, source }, context) : () => false;
  return (effect) =>
    effect.kind === 'outside' &&
    (effect.access === kind || (isBoth && (effect.access === 'read' || effect.access === 'write'))) &&
    'path' in effect &&
    (matches(effect.path) || (effect.folder === true && holds(effect.path)));
}

/** Tests whether a place that the rule names may lie in a folder: a folder is let through or refused as a whole. */
export function mayHold(rule: PathRule, context: PathContext): (folder: string) => boolean {
  const { path, whole } = namedPlace(rule, context);
  const places = [path, context.realPath?.(path) ?? path];
  return (folder) => places.some((place) => isInside(place, folder) || (!whole && isInside(folder, place)));
}

/** Without a port these are meant: of ssh and of the web. */
const outsidePorts: readonly number[] = [22, 80, 443];

type HostMatcher = (host: string, port: number) => boolean;

/** Tests a rule against the host of an effect: a rule that allows must match every port, any other rule at least one. */
export function reachesHost(effect: Effect, matches: HostMatcher, narrows: boolean): boolean {
  if (effect.kind !== 'outside' || effect.access !== 'host') return false;
  const { host, port } = hostAndPort(effect.host);
  if (narrows) return (port === undefined ? outsidePorts : [port]).some((each) => matches(host, each));
  // A rule without a port means those of the web for fetching, and that of ssh too for commands.
  const isForAll = matches(host, 80) && matches(host, 443);
  return port === undefined ? isForAll : matches(host, port) || (isForAll && outsidePorts.includes(port));
}

function hostAndPort(written: string): { host: string; port: number | undefined } {
  const [, host = '', port] = /^(.*?)(?::(\d+))?$/.exec(written) ?? [];
  return { host, port: port === undefined ? undefined : Number(port) };
}

type Execute = Effect & { kind: 'execute' };

/**
 * The commands of a call that reaches outside, with what Shell rules must cover of each before a rule about the outside
 * counts: what is not proven harmless, and all of it where the line itself reads or writes the very place (a harmless part
 * may, `echo x > FILE`) or there is no other part.
 */
export function commandsOutside(effects: readonly Effect[]): Execute[] {
  const places = effects.flatMap((effect) =>
    effect.kind === 'outside' && 'path' in effect ? [effect.path] : [],
  );
  const namesOne = effects.some(
    (effect) =>
      (effect.kind === 'read' || effect.kind === 'write' || effect.kind === 'delete') &&
      places.some((place) => isInside(effect.path, place) || isInside(place, effect.path)),
  );
  return effects
    .filter((effect) => effect.kind === 'execute')
    .map((command) => {
      const isAll = namesOne || command.unproven?.length === 0;
      return isAll && command.commands ? { ...command, unproven: command.commands } : command;
    });
}
