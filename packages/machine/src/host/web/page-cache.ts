/** Caches fetched pages for a while; the least recently used goes first. */
export interface PageCache<Page> {
  get(url: string): Page | undefined;
  set(url: string, page: Page, size: number): void;
}

export interface PageCacheOptions {
  now(): number;
  maxAgeMs: number;
  maxBytes: number;
}

export function createPageCache<Page>({ now, maxAgeMs, maxBytes }: PageCacheOptions): PageCache<Page> {
  const entries = new Map<string, { page: Page; size: number; at: number }>();
  let total = 0;
  const remove = (url: string) => {
    total -= entries.get(url)?.size ?? 0;
    entries.delete(url);
  };
  return {
    get(url) {
      const entry = entries.get(url);
      if (!entry) return undefined;
      entries.delete(url);
      if (now() - entry.at > maxAgeMs) {
        total -= entry.size;
        return undefined;
      }
      entries.set(url, entry);
      return entry.page;
    },
    set(url, page, size) {
      remove(url);
      if (size > maxBytes) return;
      entries.set(url, { page, size, at: now() });
      total += size;
      for (const oldest of entries.keys()) {
        if (total <= maxBytes) break;
        remove(oldest);
      }
    },
  };
}
