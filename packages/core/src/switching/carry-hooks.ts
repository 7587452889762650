import { isJsonObject } from '@toolwright/machine/base/json.js';
import type { HookEvent, HookFile, HookFormat } from '../pieces/hooks/hook.js';
import { readHooks } from '../pieces/hooks/read-hooks.js';
import { describePieceProblem } from '../pieces/piece.js';
import type { HomeFindings } from './findings.js';

/** Hooks of a file, as hooks of the user's own. They could always do what the user may, and still can. */
export async function carryHooks(
  { path, format }: Pick<HookFile, 'path' | 'format'>,
  found: HomeFindings,
): Promise<void> {
  const { hooks, problems } = await readHooks({ path, format, shown: path, isOwn: true });
  for (const { event, matcher, condition, command, timeoutMs, isAsync } of hooks) {
    const timeout = Math.max(1, Math.round(timeoutMs / 1_000));
    found.hooks.push({
      ...{ event, matcher: carriedMatcher(event, matcher, format), if: condition },
      ...{ command, timeout, async: isAsync },
    });
  }
  for (const problem of problems) found.leave('a hook', describePieceProblem(problem).replace(/\.$/, ''));
}

/**
 * Matches our own tool names alone, such as run_shell_command, which the scripts of other agents know. A hook about all tools
 * would be told the names of Claude Code instead.
 */
const PLAIN_NAMES = '^[a-z]\\w*$';

function carriedMatcher(event: HookEvent, matcher: string, format: HookFormat): string {
  const isAll = /^(?:|\.?\*)$/.test(matcher) && (event === 'PreToolUse' || event === 'PostToolUse');
  return isAll && format !== 'claude' ? PLAIN_NAMES : matcher;
}

/** The text of our file of hooks with others added; those that are there already are not added again. */
export function withHooks(before: unknown, { hooks }: Pick<HomeFindings, 'hooks'>): object {
  const file = isJsonObject(before) ? before : {};
  const events: Record<string, unknown[]> = {};
  for (const [event, groups] of Object.entries(isJsonObject(file['hooks']) ? file['hooks'] : {}))
    events[event] = Array.isArray(groups) ? [...groups] : [];
  const known = JSON.stringify(events);
  for (const { event, matcher, ...carried } of hooks) {
    if (known.includes(JSON.stringify(carried.command))) continue;
    const hook = { type: 'command', ...carried };
    (events[event] ??= []).push({ matcher: matcher === '' ? undefined : matcher, hooks: [hook] });
  }
  return { ...file, hooks: events };
}
