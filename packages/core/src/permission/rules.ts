import { homedir } from 'node:os';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { BeyondRule, CommandWords, Effect } from '@toolwright/machine/base/effect.js';
import { SettingsError } from '@toolwright/machine/base/errors.js';
import { didYouMean, nearest } from '@toolwright/machine/base/nearest.js';
import { hostMatcher } from '@toolwright/machine/base/patterns/host-pattern.js';
import { isInside } from '@toolwright/machine/host/workspace.js';
import { matchesWords } from '@toolwright/machine/shell/shell-word.js';
import {
  mayBeginWith,
  mcpMatcher,
  narrowingWords,
  parseOutside,
  reachesHost,
  ruleWords,
} from './patterns.js';

/** The verdict on a call: it may happen, must be asked about, or may not. */
export type Verdict = 'allow' | 'ask' | 'deny';
export type Verb = (typeof ruleVerbs)[number] | 'Tool';

/** A rule as written, with the place it came from. */
export interface RuleText {
  verdict: Verdict;
  text: string;
  /** Shown to the user: `~/.toolwright/settings.json:12`, `--allowed-tools`, `granted for this session`. */
  source: string;
}

export interface Rule extends RuleText {
  verb: Verb;
  pattern: string;
  /** Tool rules match the call, the others one effect at a time. */
  matches(subject: { tool: string; effect?: Effect }): boolean;
  /** Present for a Shell rule that allows: whether it covers one simple command. Several may cover a compound together. */
  covers?(words: CommandWords, beyond?: BeyondRule): boolean;
  /** Present for `Shell(cd FOLDER)` that allows: whether it is this folder. Commands that rules cover may run in it. */
  opensFolder?(folder: string): boolean;
  /** Present for a Read rule: whether it is about exactly this file, not by a pattern or the folder it lies in. */
  namesFile?(path: string): boolean;
  /** Present for a remembered yes. */
  grant?: HeldGrant;
}

/** A remembered yes that holds, perhaps for some calls or some time only. */
export interface HeldGrant {
  id: string;
  scope: 'session' | 'saved';
  /** Number of calls left. */
  uses?: number | undefined;
  /** Milliseconds since 1970. */
  untilMs?: number | undefined;
}

export interface RuleContext {
  workspace: string;
  compileGlob: GlobCompiler;
  home?: string;
  /** A path after links, as far as it exists. */
  realPath?(path: string): string;
  rootOf?(path: string): string | undefined;
  isFolder?(path: string): boolean;
  /** Other names that a tool is called by. */
  aliasesOf?(tool: string): readonly string[];
}

/** `Verb(pattern)` or a bare tool name; anything else is a mistake of the user who wrote it. */
export function parseRule(rule: RuleText, context: RuleContext): Rule {
  const problem = ruleProblem(rule.text);
  if (problem !== null) throw new SettingsError(`${rule.source}: ${problem}`);
  const written = /^([A-Za-z]+)\((.*)\)$/s.exec(rule.text);
  if (!written) return bareToolRule(rule, context);
  const [, verb, pattern] = written as unknown as [string, string, string];
  const parsed = { ...rule, verb: verb as Verb, pattern };
  if (verb === 'Shell') return shellRuleOf(parsed, context);
  const matchesEffect = effectMatcher(parsed, context);
  return {
    ...parsed,
    namesFile: verb === 'Read' ? fileNamedBy(parsed, context) : undefined,
    matches: ({ effect }) => effect !== undefined && matchesEffect(effect),
  };
}

/**
 * Allows a command only when it covers every simple command in it, and never the network or the background; asks or
 * denies as soon as one of them may be what it is about.
 */
function shellRuleOf(rule: ParsedRule, { workspace }: RuleContext): Rule {
  if (rule.verdict !== 'allow') {
    const words = narrowingWords(rule);
    const matches: Rule['matches'] = ({ effect }) =>
      effect?.kind === 'execute' && (effect.commands ?? []).some((command) => mayBeginWith(command, words));
    return { ...rule, matches };
  }
  const words = ruleWords(rule);
  const covers = (command: CommandWords, beyond?: BeyondRule): boolean =>
    matchesWords(words, command) && words.length >= (beyond?.spelled ?? 0);
  const [program, folder] = words;
  const opensFolder = (path: string): boolean =>
    program === 'cd' && folder !== undefined && resolve(workspace, folder) === path;
  return {
    ...rule,
    covers,
    opensFolder,
    matches: ({ effect }) =>
      effect?.kind === 'execute' &&
      isCovered(effect, (command, beyond) => covers(command, beyond) && (beyond?.folders.length ?? 0) === 0),
  };
}

/**
 * True if rules cover every simple command not proven harmless, in a command line that could be read, stays off the
 * network and ends with the call: what goes on in the background changes files that nobody looks at first.
 */
export function isCovered(
  { commands, unproven, beyond = [], network, background }: Effect & { kind: 'execute' },
  covers: (words: CommandWords, beyond?: BeyondRule) => boolean,
): boolean {
  const needed = unproven ?? commands ?? [];
  if (network || background || commands === null) return false;
  return (
    needed.length > 0 &&
    needed.every((words) => {
      const marked = beyond.filter((each) => sameWords(each.words, words));
      return marked.length === 0 ? covers(words) : marked.every((each) => covers(words, each));
    })
  );
}

function sameWords(left: CommandWords, right: CommandWords): boolean {
  return left.length === right.length && left.every((word, index) => word === right[index]);
}

function bareToolRule(rule: RuleText, { aliasesOf }: RuleContext): Rule {
  const matches = ({ tool }: { tool: string }): boolean =>
    tool === rule.text || (aliasesOf?.(tool).includes(rule.text) ?? false);
  return { ...rule, verb: 'Tool', pattern: rule.text, matches };
}

function fileNamedBy({ pattern, source }: ParsedRule, context: RuleContext): (path: string) => boolean {
  const { path: named, whole } = namedPlace({ pattern, source, narrows: false }, context);
  const real = context.realPath?.(named) ?? named;
  const isFile = whole && !pattern.endsWith('*') && !pattern.endsWith('/');
  return (path) => isFile && (path === named || path === real) && !context.isFolder?.(path);
}

type ParsedRule = Omit<Rule, 'matches'>;

function effectMatcher(rule: ParsedRule, context: RuleContext): (effect: Effect) => boolean {
  const { verb, pattern, verdict, source } = rule;
  const narrows = verdict !== 'allow';
  const written = { pattern, source, narrows };
  switch (verb) {
    case 'Read': {
      const { matches, concerns } = placeMatcher(written, context);
      return (effect) =>
        (effect.kind === 'read' && matches(effect.path)) ||
        (narrows && isOutsidePath(effect, ['read', 'write']) && concerns(effect));
    }
    case 'Edit': {
      const { matches, concerns } = placeMatcher(written, context);
      return (effect) =>
        ((effect.kind === 'write' || effect.kind === 'delete' || effect.kind === 'memory') &&
          matches(effect.path)) ||
        (narrows && isOutsidePath(effect, ['write']) && concerns(effect));
    }
    case 'Fetch': {
      const matches = hostMatcher(written);
      return (effect) =>
        (effect.kind === 'network' && matches(effect.host, effect.port)) ||
        (narrows && reachesHost(effect, matches, true));
    }
    case 'Mcp': {
      const matches = mcpMatcher(rule);
      return (effect) => effect.kind === 'mcp' && matches(effect.server, effect.tool);
    }
    case 'Outside':
      return outsideMatcher(rule, context);
    default:
      return () => false;
  }
}

function outsideMatcher(rule: ParsedRule, context: RuleContext): (effect: Effect) => boolean {
  const { kind, named: pattern } = parseOutside(rule);
  const { source } = rule;
  const narrows = rule.verdict !== 'allow';
  if (kind === 'ssh-agent') return (effect) => effect.kind === 'outside' && effect.access === 'ssh-agent';
  if (kind === 'host') {
    const matches = hostMatcher({ pattern, narrows, source }, `Outside(host ${pattern})`);
    return (effect) => reachesHost(effect, matches, narrows);
  }
  const { concerns } = placeMatcher({ pattern, narrows, source }, context);
  // A writable place may be read, so a rule that allows writing allows both, and one that denies reading denies both.
  const isBoth = (kind === 'write') !== narrows;
  return (effect) => isOutsidePath(effect, isBoth ? ['read', 'write'] : [kind]) && concerns(effect);
}

type OutsidePath = Effect & { kind: 'outside'; access: 'read' | 'write' };

/** A rule that asks or denies is also about what a command is to reach outside; what it may write it may read. */
function isOutsidePath(effect: Effect, accesses: readonly OutsidePath['access'][]): effect is OutsidePath {
  return effect.kind === 'outside' && 'path' in effect && accesses.includes(effect.access);
}

/** Tests paths against a rule; `concerns` also holds for a folder that may have the place in it, where the rule narrows. */
function placeMatcher(rule: PathRule, context: RuleContext) {
  const matches = pathMatcher(rule, context);
  const { path, whole } = namedPlace(rule, context);
  const places = [path, context.realPath?.(path) ?? path];
  // A folder is let through or refused as a whole.
  const mayHold = (folder: string): boolean =>
    places.some((place) => isInside(place, folder) || (!whole && isInside(folder, place)));
  return {
    matches,
    concerns: ({ path, folder }: OutsidePath): boolean =>
      matches(path) || (rule.narrows && folder === true && mayHold(path)),
  };
}

type PathMatcher = (path: string) => boolean;
export type GlobCompiler = (pattern: string) => PathMatcher;

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
export function pathMatcher(rule: PathRule, context: RuleContext): PathMatcher {
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

/** Keeps the last path resolved: a path is held against all rules in turn. */
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
export function namedPlace(rule: PathRule, context: RuleContext): { path: string; whole: boolean } {
  const { base, written } = placeOf(rule, context);
  const { plain, rest } = splitPlain(written);
  return { path: resolve(base, plain), whole: rest === '' || rest === '**' };
}

function placeOf({ pattern, source }: PathRule, context: RuleContext): { base: string; written: string } {
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

const ruleVerbs = ['Shell', 'Read', 'Edit', 'Fetch', 'Mcp', 'Outside'] as const;

/** Describes what is wrong with a rule as written (`Verb(pattern)` or the name of a tool); null for a valid one. */
export function ruleProblem(text: string): string | null {
  const [, verb, pattern] = /^([A-Za-z]+)\((.*)\)$/s.exec(text) ?? [];
  if (verb === undefined || pattern === undefined) {
    const isToolName = /^[A-Za-z0-9_-]{1,64}$/.test(text) && !(ruleVerbs as readonly string[]).includes(text);
    return isToolName
      ? null
      : `${JSON.stringify(text)} is not a rule. Write Verb(pattern), such as Edit(src/**), or the name of a tool.`;
  }
  if (!(ruleVerbs as readonly string[]).includes(verb)) {
    const hint = [
      didYouMean(nearest(verb, ruleVerbs, 1)),
      `Verbs are ${ruleVerbs.join(', ')}, with capital letters as shown.`,
    ];
    return `unknown verb ${verb} in the rule ${JSON.stringify(text)}. ${hint.join(' ').trim()}`;
  }
  return pattern.trim() === '' ? `the rule ${JSON.stringify(text)} has an empty pattern.` : null;
}
