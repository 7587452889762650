/** A stretch of text in lower case. */
export interface Stretch {
  from: number;
  end: number;
  /** The start of the last segment of a path; `from` for other texts. */
  base: number;
}

/** A text in lower case, one number a character, so that many texts can stand in one array. */
export function lowerUnits(text: string): Uint16Array {
  return Uint16Array.from({ length: text.length }, (_, index) => lowerUnit(text.charCodeAt(index)));
}

export function lowerUnit(unit: number): number {
  if (unit < 128) return unit >= 65 && unit <= 90 ? unit + 32 : unit;
  const lower = String.fromCharCode(unit).toLowerCase();
  return lower.length === 1 ? lower.charCodeAt(0) : unit;
}

/** The bit of a letter or digit; none for other characters. What a text lacks can't be found in it. */
export function maskBit(lower: number): number {
  if (lower >= 97 && lower <= 122) return 1 << (lower - 97);
  // Digits share the bits behind the letters.
  return lower >= 48 && lower <= 57 ? 1 << (26 + ((lower - 48) >> 1)) : 0;
}

export function maskOf(lower: Uint16Array): number {
  return lower.reduce((mask, unit) => mask | maskBit(unit), 0);
}

const NONE = -1;

/** Grades a text like `score`. */
export function scoreText(text: string, query: string): number {
  return score(lowerUnits(text), { from: 0, end: text.length, base: 0 }, lowerUnits(query));
}

/**
 * Grades how well a query in lower case fits, higher for better; -1 when its characters do not occur in this order. Characters that stand
 * together, at the beginning of a word or in the last segment count more, and among equals the shorter text.
 */
export function score(lower: Uint16Array, stretch: Stretch, query: Uint16Array): number {
  const { from, end, base } = stretch;
  const length = end - from;
  if (query.length === 0) return 1000 - Math.min(900, length);
  const short = 200 - Math.min(199, length);
  const inBase = indexIn(lower, stretch, query, base);
  if (inBase === base) return 4000 + short + (end - base === query.length ? 500 : 0);
  if (inBase > base) return (isBoundary(lower, inBase) ? 3600 : 3200) + short;
  const anywhere = base > from ? indexIn(lower, stretch, query, from) : NONE;
  if (anywhere >= 0) return (anywhere === from || isBoundary(lower, anywhere) ? 2800 : 2400) + short;
  const near = scattered(lower, stretch, query, base);
  if (near >= 0) return 1600 + near + short;
  const far = base > from ? scattered(lower, stretch, query, from) : NONE;
  return far >= 0 ? 800 + far + short : NONE;
}

function indexIn(lower: Uint16Array, { end }: Stretch, query: Uint16Array, from: number): number {
  const first = query[0]!;
  const last = end - query.length;
  for (let at = from; at <= last; at++) {
    if (lower[at] !== first) continue;
    let index = 1;
    while (index < query.length && lower[at + index] === query[index]) index += 1;
    if (index === query.length) return at;
  }
  return NONE;
}

function isBoundary(lower: Uint16Array, at: number): boolean {
  const before = lower[at - 1]!;
  const isLetter = (before >= 97 && before <= 122) || (before >= 48 && before <= 57) || before > 127;
  return !isLetter;
}

/** Characters in order: each run and each beginning of a word counts. */
function scattered(lower: Uint16Array, { end }: Stretch, query: Uint16Array, from: number): number {
  let points = 0;
  let before = NONE;
  let at = from;
  for (let index = 0; index < query.length; index++) {
    while (at < end && lower[at] !== query[index]) at += 1;
    if (at === end) return NONE;
    if (index > 0 && at === before + 1) points += 12;
    else if (at === from || isBoundary(lower, at)) points += 10;
    before = at;
    at += 1;
  }
  return Math.min(700, points);
}
