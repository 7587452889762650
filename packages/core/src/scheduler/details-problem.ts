import { isJsonObject } from '@toolwright/machine/base/json.js';

/** What each kind of question must say, beside its title and effects. */
const membersOf: Record<string, readonly string[]> = {
  edit: ['diff'],
  exec: ['command', 'directory'],
  mcp: ['server', 'tool', 'arguments'],
  info: ['prompt', 'urls'],
};

/** Null when a tool answered with confirmation details or with false; else what is wrong with its answer. */
export function detailsProblem(value: unknown): string | null {
  if (value === false) return null;
  if (!isJsonObject(value))
    return `it asked with ${value === null ? 'null' : typeof value} in place of details`;
  const { kind, title, effects } = value;
  const members = typeof kind === 'string' && Object.hasOwn(membersOf, kind) ? membersOf[kind] : undefined;
  if (!members)
    return `its confirmation details have the kind ${JSON.stringify(kind)}; there are ${Object.keys(membersOf).join(', ')}`;
  if (typeof title !== 'string') return 'its confirmation details have no title';
  if (!Array.isArray(effects) || !effects.every(isJsonObject))
    return 'its confirmation details have no list of effects';
  const missing = members.find((member) => value[member] === undefined);
  return missing === undefined ? null : `its confirmation details have no ${missing}`;
}
