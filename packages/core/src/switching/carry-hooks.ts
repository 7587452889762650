import { isJsonObject } from '@toolwright/machine/base/json.js';
import type { HookFile } from '../pieces/hooks/hook.js';
import { readHooks } from '../pieces/hooks/read-hooks.js';
import { describePieceProblem } from '../pieces/piece.js';
import type { CarriedHook, HomeFindings } from './findings.js';

/** Hooks of a file, as hooks of the user's own. They could always do what the user may, and still can. */
export async function carryHooks(
  { path, format }: Pick<HookFile, 'path' | 'format'>,
  found: HomeFindings,
): Promise<void> {
  const { hooks, problems } = await readHooks({ path, format, shown: path, isOwn: true });
  for (const { event, matcher, condition, command, timeoutMs, isAsync, names } of hooks) {
    const timeout = Math.max(1, Math.round(timeoutMs / 1_000));
    found.hooks.push({
      event,
      matcher,
      if: condition,
      command,
      timeout,
      async: isAsync,
      names: names === 'claude' ? undefined : names,
    });
  }
  for (const problem of problems) found.leave('a hook', describePieceProblem(problem).replace(/\.$/, ''));
}

/** The text of our file of hooks with others added; those that are there already are not added again. */
export function withHooks(before: unknown, { hooks }: Pick<HomeFindings, 'hooks'>): object {
  const file = isJsonObject(before) ? before : {};
  const events: Record<string, unknown[]> = {};
  for (const [event, groups] of Object.entries(isJsonObject(file['hooks']) ? file['hooks'] : {}))
    events[event] = Array.isArray(groups) ? [...groups] : [];
  for (const carried of hooks) {
    const { event, matcher, ...rest } = carried;
    const groups = (events[event] ??= []);
    if (groups.some((group) => isThere(carried, group))) continue;
    groups.push({ matcher: matcher === '' ? undefined : matcher, hooks: [{ type: 'command', ...rest }] });
  }
  return { ...file, hooks: events };
}

/** True when our file of hooks has this one. */
export function hasHook(file: unknown, carried: CarriedHook): boolean {
  const groups = isJsonObject(file) && isJsonObject(file['hooks']) ? file['hooks'][carried.event] : undefined;
  return Array.isArray(groups) && groups.some((group) => isThere(carried, group));
}

/** True when the group asks the same program about the same calls. */
function isThere({ matcher, command, names, ...carried }: CarriedHook, group: unknown): boolean {
  if (!isJsonObject(group) || (group['matcher'] ?? '') !== matcher || !Array.isArray(group['hooks']))
    return false;
  return group['hooks'].some(
    (hook) =>
      isJsonObject(hook) &&
      hook['command'] === command &&
      hook['if'] === carried.if &&
      (hook['async'] === true) === (carried.async === true) &&
      (hook['names'] ?? 'claude') === (names ?? 'claude'),
  );
}
