import { type Origin, type Problem, placeOf } from './problems.js';
import type { Assignment } from './read-layer.js';
import { type Settings, settingKeys } from './setting-keys.js';
import type { Key, Keys, SettingKind } from './setting-kinds.js';

export interface Merged {
  settings: Settings;
  /** Path of a setting, or of an item in a list (`permissions.deny[0]`), to where it came from. */
  origins: Record<string, Origin>;
  warnings: Problem[];
}

/** Later assignments win; lists that are joined grow; a project only narrows. */
export function mergeLayers(assignments: readonly Assignment[]): Merged {
  const chosen = new Map<string, Assignment>();
  const warnings: Problem[] = [];
  for (const assignment of assignments) {
    const name = assignment.path.join('.');
    const before = chosen.get(name);
    const after =
      assignment.origin.layer === 'project' ? narrowed(assignment, before) : widened(assignment, before);
    if (typeof after === 'string')
      warnings.push({ where: placeOf(assignment.origin), message: `${name} ${after}` });
    else {
      if (before && before.value !== after.value) forgetDependents(chosen, after);
      chosen.set(name, after);
    }
  }
  const settings = defaultsOf(settingKeys);
  const origins: Record<string, Origin> = {};
  for (const [name, { path, value, origin, items }] of chosen) {
    place(settings, path, value);
    if (!items) origins[name] = origin;
    for (const [index, item] of (items ?? []).entries()) origins[`${name}[${index}]`] = item;
  }
  return { settings: settings as Settings, origins, warnings };
}

/** The name, address and key of one provider mean nothing to another. */
function forgetDependents(chosen: Map<string, Assignment>, { key, origin }: Assignment): void {
  for (const name of key.resets ?? []) {
    if (chosen.get(name)?.origin.layer !== origin.layer) chosen.delete(name);
  }
}

function widened(assignment: Assignment, before: Assignment | undefined): Assignment {
  return assignment.key.joined && before ? joined(before, assignment) : assignment;
}

/** The part of a project's wish that is granted, or the reason for refusing it. */
function narrowed(assignment: Assignment, before: Assignment | undefined): Assignment | string {
  const { key, value } = assignment;
  switch (key.project ?? 'refuse') {
    case 'set':
      return assignment;
    case 'add':
      if (!Array.isArray(value)) {
        return before ? `is ignored: ${placeOf(before.origin)} already has one of that name.` : assignment;
      }
      return joined(before ?? fromDefault(assignment), assignment);
    case 'stricter': {
      const current = before ? before.value : key.default;
      if (current === undefined || strictness(key.kind, value) <= strictness(key.kind, current))
        return assignment;
      const whose = before ? `set by ${placeOf(before.origin)}` : 'by default';
      return `is ignored: a project can only be stricter, and ${JSON.stringify(value)} is less strict than ${JSON.stringify(current)} ${whose}.`;
    }
    case 'refuse':
      return "is ignored: a project can only restrict what is allowed, and can't set this. Put it into your own settings.";
  }
}

function fromDefault({ path, key }: Assignment): Assignment {
  const origin: Origin = { layer: 'default', source: 'default' };
  const value = (key.default ?? []) as string[];
  return { path, key, value, origin, items: value.map(() => origin) };
}

function joined(first: Assignment, second: Assignment): Assignment {
  const [value, items] = [[...(first.value as string[])], [...(first.items ?? [])]];
  (second.value as string[]).forEach((item, index) => {
    if (value.includes(item)) return;
    value.push(item);
    items.push(second.items?.[index] ?? second.origin);
  });
  return { ...second, value, items };
}

/** Smaller is stricter. */
function strictness(kind: SettingKind, value: unknown): number {
  return kind.type === 'choice' ? kind.values.indexOf(String(value)) : Number(value);
}

export function defaultsOf(keys: Keys): Record<string, unknown> {
  const entries = Object.entries(keys).flatMap(([name, key]: [string, Key]): [string, unknown][] => {
    if (key.default === undefined) return [];
    if (key.kind.type === 'group') return [[name, defaultsOf(key.kind.keys)]];
    return [[name, typeof key.default === 'object' ? structuredClone(key.default) : key.default]];
  });
  return Object.fromEntries(entries);
}

function place(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let current = target;
  for (const name of path.slice(0, -1)) current = (current[name] ??= {}) as Record<string, unknown>;
  current[path.at(-1) as string] = value;
}
