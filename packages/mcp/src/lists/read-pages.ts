import type { JsonObject } from '@toolwright/machine/base/json.js';

export interface PageRequest {
  /** The page that a cursor leads to; the first one without. */
  fetch(cursor: string | undefined): Promise<JsonObject>;
  /** The member of a page that holds its entries. */
  key: string;
  maxPages: number;
  maxItems: number;
}

/** Every page of a list, within bounds: a server may lead us in a circle or never come to an end. */
export async function readPages(request: PageRequest): Promise<{ entries: unknown[]; warnings: string[] }> {
  const { fetch, key, maxPages, maxItems } = request;
  const entries: unknown[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 1; ; page++) {
    const result = await fetch(cursor);
    const list = result[key];
    if (!Array.isArray(list)) throw new Error(`the answer has no list of ${key}`);
    for (const entry of list) entries.push(entry);
    if (entries.length > maxItems)
      return {
        entries: entries.slice(0, maxItems),
        warnings: [`The list of ${key} was cut after ${maxItems} entries.`],
      };
    const next = result['nextCursor'];
    if (typeof next !== 'string' || next === '') return { entries, warnings: [] };
    if (seen.has(next))
      return { entries, warnings: [`The list of ${key} leads in a circle; it was cut there.`] };
    if (page >= maxPages)
      return { entries, warnings: [`The list of ${key} was cut after ${maxPages} pages.`] };
    seen.add(next);
    cursor = next;
  }
}
