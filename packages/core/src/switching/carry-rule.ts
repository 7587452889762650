import { messageOf } from '@toolwright/machine/base/errors.js';
import { narrowingWords, ruleWords } from '../permission/patterns.js';
import { ruleProblem, type Verdict } from '../permission/rules.js';
import { builtinNamed } from '../pieces/hooks/hook-names.js';
import type { HomeFindings } from './findings.js';

type Carried = { rule: string } | { why: string };

/** A rule of another agent in our words, or why there is none. What narrows may be about a whole tool. */
export function carryRule(written: string, verdict: Verdict = 'allow'): Carried {
  const [, name = written, pattern] = /^([\w-]+)(?:\((.*)\))?$/s.exec(written.trim()) ?? [];
  const isWhole = /^\**$/.test(pattern?.trim() ?? '');
  const rule =
    isWhole && verdict !== 'allow'
      ? wholeToolRule(name)
      : ruleFor(name, isWhole ? undefined : pattern?.trim(), verdict);
  if (typeof rule !== 'string') return rule;
  const problem = ruleProblem(rule) ?? shellProblem(rule, verdict);
  return problem === null ? { rule } : { why: problem };
}

const readers = /^(?:Read|ReadFile|read_file|Glob|Grep|LS)$/;
const writers = /^(?:Edit|Write|MultiEdit|NotebookEdit|write_file|replace|edit)$/;
const shells = /^(?:Bash|Shell|ShellTool|run_shell_command)$/;

function ruleFor(name: string, pattern: string | undefined, verdict: Verdict): string | Carried {
  if (shells.test(name)) return shellRule(pattern, verdict);
  if (readers.test(name)) return pathRule('Read', pattern);
  if (writers.test(name)) return pathRule('Edit', pattern);
  if (/^(?:WebFetch|web_fetch)$/.test(name)) {
    const host = pattern?.replace(/^domain:/, '');
    return host ? `Fetch(${host})` : { why: 'it is about every host' };
  }
  return toolRule(name);
}

/** A rule about a tool that has no pattern of its own: one of a server, or a built-in one by its name. */
function toolRule(name: string): string | Carried {
  const [, server, tool] = /^mcp__(.+?)(?:__(.+))?$/.exec(name) ?? [];
  if (server === undefined) return builtinNamed(name) ?? { why: 'there is no such tool here' };
  return tool === undefined || tool === '*' ? `Mcp(${server})` : `Mcp(${server}/${tool})`;
}

function wholeToolRule(name: string): string | Carried {
  if (readers.test(name)) return 'Read(**)';
  return writers.test(name) ? 'Edit(**)' : toolRule(name);
}

/** `git log:*` and `git log *` are `git log` here: whatever follows is covered. Other stars may narrow, and allow nothing. */
function shellRule(pattern: string | undefined, verdict: Verdict): string | Carried {
  const isAllowed = verdict === 'allow';
  const words = pattern?.replace(isAllowed ? /(?::\*|\s+\*|\*)$/ : /(?::\*|\s+\*)$/, '').trim();
  if (!words) return { why: 'it is about every command' };
  return isAllowed && words.includes('*')
    ? { why: 'a star inside of a command has no meaning in a rule that allows; it names the first words' }
    : `Shell(${words})`;
}

function shellProblem(rule: string, verdict: Verdict): string | null {
  const [, pattern] = /^Shell\((.*)\)$/s.exec(rule) ?? [];
  if (pattern === undefined) return null;
  try {
    (verdict === 'allow' ? ruleWords : narrowingWords)({ pattern, source: 'it' });
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** `//path` is a path from the root, `./path` one of the workspace. */
function pathRule(verb: 'Read' | 'Edit', pattern: string | undefined): string | Carried {
  if (!pattern || pattern === '*' || pattern === '**') return { why: 'it is about every file' };
  return `${verb}(${pattern.replace(/^\/\//, '/').replace(/^\.\//, '')})`;
}

/** Rules that allow are offered, and count for nothing until the user chooses them. */
export function carryRules(written: unknown, verdict: Verdict, found: HomeFindings): void {
  if (!Array.isArray(written)) return;
  for (const text of written) {
    if (typeof text !== 'string') continue;
    const carried = carryRule(text, verdict);
    if ('rule' in carried) found.rules[verdict].add(carried.rule);
    else found.leave(`the rule ${verdict} ${text}`, carried.why);
  }
}
