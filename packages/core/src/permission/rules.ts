import { resolve } from 'node:path';
import type { BeyondRule, CommandWords, Effect } from '@toolwright/machine/base/effect.js';
import { SettingsError } from '@toolwright/machine/base/errors.js';
import { hostMatcher } from '@toolwright/machine/base/patterns/host-pattern.js';
import { matchesWords } from '@toolwright/machine/shell/shell-word.js';
import {
  mayBeginWith,
  mayHold,
  mcpMatcher,
  namedPlace,
  outsideMatcher,
  type PathContext,
  pathMatcher,
  reachesHost,
  ruleWords,
} from './patterns.js';
import { ruleProblem, type ruleVerbs } from './rule-syntax.js';

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
  /** Only of a Shell rule that allows: whether it covers one simple command. Several may cover a compound together. */
  covers?(words: CommandWords, beyond?: BeyondRule): boolean;
  /** Only of `Shell(cd FOLDER)` that allows: whether it is this folder. Commands that rules cover may run in it. */
  opensFolder?(folder: string): boolean;
  /** Only of a Read rule: whether it is about exactly this file, not by a pattern or the folder it lies in. */
  namesFile?(path: string): boolean;
  /** Only of a remembered yes. */
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

export interface RuleContext extends PathContext {
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
    ...(verb === 'Read' ? { namesFile: fileNamedBy(parsed, context) } : {}),
    matches: ({ effect }) => effect !== undefined && matchesEffect(effect),
  };
}

/**
 * Allows a command only when it covers every simple command in it, and never the network or the background; asks or
 * denies as soon as one of them may be what it is about.
 */
function shellRuleOf(rule: ParsedRule, { workspace }: RuleContext): Rule {
  const words = ruleWords(rule);
  if (rule.verdict !== 'allow') {
    const matches: Rule['matches'] = ({ effect }) =>
      effect?.kind === 'execute' && (effect.commands ?? []).some((command) => mayBeginWith(command, words));
    return { ...rule, matches };
  }
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
  const narrowing = { pattern, source, narrows: verdict !== 'allow' };
  switch (verb) {
    case 'Read': {
      const matches = pathMatcher(narrowing, context);
      const holds = mayHold(narrowing, context);
      return (effect) =>
        (effect.kind === 'read' && matches(effect.path)) ||
        (isNarrowed(effect, rule, 'read') &&
          (matches(effect.path) || (effect.folder === true && holds(effect.path))));
    }
    case 'Edit': {
      const matches = pathMatcher(narrowing, context);
      const holds = mayHold(narrowing, context);
      return (effect) =>
        ((effect.kind === 'write' || effect.kind === 'delete' || effect.kind === 'memory') &&
          matches(effect.path)) ||
        (isNarrowed(effect, rule, 'write') &&
          (matches(effect.path) || (effect.folder === true && holds(effect.path))));
    }
    case 'Fetch': {
      const matches = hostMatcher(narrowing);
      return (effect) =>
        (effect.kind === 'network' && matches(effect.host, effect.port)) ||
        (verdict !== 'allow' && reachesHost(effect, matches, true));
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

/** A rule that asks or denies is also about what a command is to reach outside; what it may write it may read. */
function isNarrowed(
  effect: Effect,
  { verdict }: ParsedRule,
  access: 'read' | 'write',
): effect is Effect & { kind: 'outside'; access: 'read' | 'write' } {
  if (effect.kind !== 'outside' || verdict === 'allow') return false;
  return effect.access === 'write' || (effect.access === 'read' && access === 'read');
}
