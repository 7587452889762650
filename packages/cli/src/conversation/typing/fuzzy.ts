/** A text prepared for being searched many times. */
export interface Searchable {
  lower: string;
  /** Where the last segment of a path begins. */
  base: number;
  /** One bit per letter or digit that occurs. */
  mask: number;
}

export function searchable(text: string): Searchable {
  const lower = text.toLowerCase();
  return { lower, base: lower.lastIndexOf('/', lower.length - 2) + 1, mask: maskOf(lower) };
}

export function maskOf(lower: string): number {
  let mask = 0;
  for (let index = 0; index < lower.length; index++) {
    const code = lower.charCodeAt(index);
    // Digits share the bits behind the letters.
    if (code >= 97 && code <= 122) mask |= 1 << (code - 97);
    else if (code >= 48 && code <= 57) mask |= 1 << (26 + ((code - 48) >> 1));
  }
  return mask;
}

const NONE = -1;

/**
 * How well a query fits, higher for better; -1 when its characters do not occur in this order. What stands together, at the
 * beginning of a word and in the last segment counts more, and among equals the shorter text.
 */
export function score({ lower, base, mask }: Searchable, query: string, queryMask: number): number {
  if ((mask & queryMask) !== queryMask) return NONE;
  if (query === '') return 1000 - Math.min(900, lower.length);
  const short = 200 - Math.min(199, lower.length);
  const inBase = lower.indexOf(query, base);
  if (inBase === base) return 4000 + short + (lower.length - base === query.length ? 500 : 0);
  if (inBase > base) return (isBoundary(lower, inBase) ? 3600 : 3200) + short;
  const anywhere = lower.indexOf(query);
  if (anywhere >= 0) return (anywhere === 0 || isBoundary(lower, anywhere) ? 2800 : 2400) + short;
  const near = scattered(lower, query, base);
  if (near >= 0) return 1600 + near + short;
  const far = scattered(lower, query, 0);
  return far >= 0 ? 800 + far + short : NONE;
}

function isBoundary(lower: string, at: number): boolean {
  const before = lower.charCodeAt(at - 1);
  const isLetter = (before >= 97 && before <= 122) || (before >= 48 && before <= 57) || before > 127;
  return !isLetter;
}

/** Characters in order, from a place on: each run and each beginning of a word counts. */
function scattered(lower: string, query: string, from: number): number {
  let points = 0;
  let before = NONE;
  let at = from;
  for (let index = 0; index < query.length; index++) {
    at = lower.indexOf(query[index]!, at);
    if (at < 0) return NONE;
    if (at === before + 1 && index > 0) points += 12;
    else if (at === 0 || isBoundary(lower, at)) points += 10;
    before = at;
    at += 1;
  }
  return Math.min(700, points);
}
