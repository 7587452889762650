import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';

/** OpenRouter streams its list of thoughts in fragments: those of one kind and index belong together. */
export function mergeDetails(known: JsonObject[], fragments: readonly unknown[]): void {
  for (const fragment of fragments) {
    if (!isJsonObject(fragment)) continue;
    const before = known.find(
      (item) => item['type'] === fragment['type'] && (item['index'] ?? 0) === (fragment['index'] ?? 0),
    );
    if (before) append(before, fragment);
    else known.push({ ...fragment });
  }
}

const growing = ['text', 'summary', 'data'];

function append(target: JsonObject, fragment: JsonObject): void {
  for (const [key, value] of Object.entries(fragment)) {
    if (value === null || value === undefined) continue;
    const before = target[key];
    target[key] =
      growing.includes(key) && typeof before === 'string' && typeof value === 'string'
        ? before + value
        : value;
  }
}
