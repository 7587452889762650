import { isJsonObject } from '@toolwright/machine/base/json.js';

export type Resolved = { found: true; schema: unknown } | { found: false };

/** Follows a reference inside its own document: a pointer, an anchor, or a name under `$defs`. */
export function resolveReference(root: unknown, reference: string): Resolved {
  const own = isJsonObject(root) ? (root['$id'] ?? root['id']) : undefined;
  const base = typeof own === 'string' ? own.replace(/#$/, '') : '';
  const local = base !== '' && reference.startsWith(base) ? reference.slice(base.length) : reference;
  if (local === '' || local === '#') return { found: true, schema: root };
  if (local.startsWith('#/')) return followPointer(root, local.slice(2));
  return findNamed(root, local);
}

function followPointer(root: unknown, pointer: string): Resolved {
  let value: unknown = root;
  for (const segment of pointer.split('/')) {
    const key = decoded(segment).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return { found: false };
    value = (value as Record<string, unknown>)[key];
  }
  return { found: true, schema: value };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** `#name` (an anchor), `Name.json` or `https://host/Name` (a schema that carries this `$id`). */
function findNamed(root: unknown, reference: string): Resolved {
  const anchor = reference.startsWith('#') ? reference.slice(1) : null;
  const pending: unknown[] = [root];
  const seen = new Set<unknown>();
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    if (isJsonObject(value)) {
      const { $anchor, $id, id } = value;
      if (anchor !== null && ($anchor === anchor || $id === reference || id === reference))
        return { found: true, schema: value };
      if (anchor === null && ($id === reference || id === reference)) return { found: true, schema: value };
    }
    pending.push(...Object.values(value));
  }
  return { found: false };
}
