import { isJsonObject } from '@toolwright/machine/base/json.js';
import type { HookFile } from '../pieces/hooks/hook.js';
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
    found.hooks.push({ event, matcher, if: condition, command, timeout, async: isAsync });
  }
  for (const problem of problems) found.leave('a hook', describePieceProblem(problem).replace(/\.$/, ''));
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
