import type { SearchHit } from './search-provider.js';

const LONGEST_TITLE = 200;
const LONGEST_SNIPPET = 600;
const LONGEST_URL = 2000;

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: ' ',
  '#39': "'",
  '#x27': "'",
  apos: "'",
};

/** Hits fit to be shown: real web addresses, each once, plain text of bounded length. */
export function cleanHits(hits: readonly SearchHit[], count: number): SearchHit[] {
  const seen = new Set<string>();
  const unique = hits.map(cleanHit).filter(({ url }) => {
    const fresh = url !== '' && !seen.has(url);
    seen.add(url);
    return fresh;
  });
  return unique.slice(0, count);
}

/** An address that is not one of the web is left empty: a text may cite this hit by its place in the list. */
export function cleanHit(hit: SearchHit): SearchHit {
  const url = webAddress(hit.url) ?? '';
  return {
    title: plain(hit.title).slice(0, LONGEST_TITLE) || url || '(untitled)',
    url,
    snippet: plain(hit.snippet).slice(0, LONGEST_SNIPPET),
    date: plain(hit.date).slice(0, 40),
  };
}

/** Services mark the words found with tags and entities. */
function plain(text: string): string {
  return text
    .slice(0, 10_000)
    .replace(/<\/?[a-z][^>]*>/gi, '')
    .replace(/&(#?\w+);/g, (whole, name: string) => entities[name.toLowerCase()] ?? whole)
    .replace(/\s+/g, ' ')
    .trim();
}

function webAddress(text: string): string | null {
  try {
    const url = new URL(text);
    return /^https?:$/.test(url.protocol) && url.href.length <= LONGEST_URL ? url.href : null;
  } catch {
    return null;
  }
}
