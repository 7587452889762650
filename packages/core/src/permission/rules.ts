import type { Effect } from '../base/effect.js';
import { SettingsError } from '../base/errors.js';
import { nearest } from '../base/nearest.js';
import { type PathContext, pathMatcher } from './path-pattern.js';

export type Verdict = 'allow' | 'ask' | 'deny';
export type Verb = 'Shell' | 'Read' | 'Edit' | 'Fetch' | 'Mcp' | 'Tool';

/** A rule as written, with the place it came from. */
export interface RuleText {
  verdict: Verdict;
  text: string;
  /** For a person: `~/.toolwright/settings.json:12`, `--allowed-tools`, `granted for this session`. */
  source: string;
}

export interface Rule extends RuleText {
  verb: Verb;
  pattern: string;
  /** Tool rules match the call, the others one effect at a time. */
  matches(subject: { tool: string; effect?: Effect }): boolean;
}

export interface RuleContext extends PathContext {
  /** Other names that a tool is called by. */
  aliasesOf?(tool: string): readonly string[];
}

const VERBS: readonly Verb[] = ['Shell', 'Read', 'Edit', 'Fetch', 'Mcp'];

/** `Verb(pattern)` or a bare tool name; anything else is a mistake of the person who wrote it. */
export function parseRule(rule: RuleText, context: RuleContext): Rule {
  const written = /^([A-Za-z]+)\((.*)\)$/s.exec(rule.text);
  if (!written) return bareToolRule(rule, context);
  const [, verb, pattern] = written as unknown as [string, string, string];
  if (!(VERBS as readonly string[]).includes(verb)) {
    const near = nearest(verb, VERBS)[0];
    throw new SettingsError(
      `${rule.source}: unknown verb ${verb} in the rule ${JSON.stringify(rule.text)}. ${near ? `Did you mean ${near}? ` : ''}Verbs are ${VERBS.join(', ')}, with capital letters as shown.`,
    );
  }
  if (pattern.trim() === '')
    throw new SettingsError(`${rule.source}: the rule ${JSON.stringify(rule.text)} has an empty pattern.`);
  const parsed = { ...rule, verb: verb as Verb, pattern };
  const matchesEffect = effectMatcher(parsed, context);
  return {
    ...parsed,
    matches: ({ effect }) => effect !== undefined && matchesEffect(effect),
  };
}

function bareToolRule(rule: RuleText, { aliasesOf }: RuleContext): Rule {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(rule.text) || (VERBS as readonly string[]).includes(rule.text)) {
    throw new SettingsError(
      `${rule.source}: ${JSON.stringify(rule.text)} is not a rule. Write Verb(pattern), such as Edit(src/**), or the name of a tool.`,
    );
  }
  const matches = ({ tool }: { tool: string }): boolean =>
    tool === rule.text || (aliasesOf?.(tool).includes(rule.text) ?? false);
  return { ...rule, verb: 'Tool', pattern: rule.text, matches };
}

type ParsedRule = Omit<Rule, 'matches'>;

function effectMatcher(rule: ParsedRule, context: RuleContext): (effect: Effect) => boolean {
  const { verb, pattern, verdict, source } = rule;
  const pathRule = { pattern, source, narrows: verdict !== 'allow' };
  switch (verb) {
    case 'Read': {
      const matches = pathMatcher(pathRule, context);
      return (effect) => effect.kind === 'read' && matches(effect.path);
    }
    case 'Edit': {
      const matches = pathMatcher(pathRule, context);
      return (effect) =>
        (effect.kind === 'write' || effect.kind === 'delete' || effect.kind === 'memory') &&
        matches(effect.path);
    }
    case 'Fetch':
      return hostMatcher(pattern);
    case 'Mcp': {
      const [server, tool] = pattern.split('/', 2);
      return (effect) =>
        effect.kind === 'mcp' && effect.server === server && (tool === undefined || tool === effect.tool);
    }
    default:
      return () => false;
  }
}

/** `host`, `host:port`, or `*.host` for sub-domains. */
function hostMatcher(pattern: string): (effect: Effect) => boolean {
  const written = /^(.*?)(?::(\d+))?$/.exec(pattern.toLowerCase().trim());
  const [host, port] = [written?.[1] ?? '', written?.[2]];
  return (effect) => {
    if (effect.kind !== 'network') return false;
    if (port !== undefined && effect.port !== Number(port)) return false;
    if (port === undefined && effect.port !== 443 && effect.port !== 80) return false;
    const actual = effect.host.toLowerCase();
    return host.startsWith('*.') ? actual.endsWith(host.slice(1)) : actual === host;
  };
}
