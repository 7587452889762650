/**
 * Wildcard patterns: `?` one character, `*` any run, `[…]` one of a set, none of which matches `/`; a `**` alone
 * between two slashes matches any number of folders; `\` makes the next character plain.
 */

export type WildcardNode =
  | { kind: 'character'; code: number }
  | { kind: 'set'; negated: boolean; ranges: CodeRange[] }
  | { kind: 'any' }
  | { kind: 'star' }
  /** Any run, including slashes. */
  | { kind: 'globstar' }
  /** "Any folders and a slash" is two nodes: the first may match nothing, the second may not. */
  | { kind: 'folders-start' }
  | { kind: 'folders' };

type CodeRange = [from: number, to: number];

export interface WildcardSyntax {
  /** Meaning of a `[` that opens no set: a plain character, or (as in git) a pattern that fits nothing. */
  brokenSet: 'character' | 'nothing';
}

const SLASH = 47;
const BACKSLASH = 92;
const ASTERISK = 42;
const QUESTION_MARK = 63;
const OPENING = 91;
const CLOSING = 93;
const COLON = 58;
const HYPHEN = 45;
const EXCLAMATION_MARK = 33;
const CARET = 94;

/** First and last character of each range, in pairs. */
const namedSets: Record<string, string> = {
  alpha: 'AZaz',
  digit: '09',
  alnum: '09AZaz',
  upper: 'AZ',
  lower: 'az',
  xdigit: '09AFaf',
  blank: '\t\t  ',
  space: '\t\r  ',
  cntrl: '\u0000\u001f\u007f\u007f',
  print: ' ~',
  graph: '!~',
  punct: '!/:@[`{~',
};

/** Parses a pattern; null when it can fit nothing because it ends in a lone backslash or has a broken set. */
export function parseWildcard(pattern: string, syntax: WildcardSyntax): WildcardNode[] | null {
  const points = Array.from(pattern, (character) => character.codePointAt(0)!);
  const nodes: WildcardNode[] = [];
  let at = 0;
  while (at < points.length) {
    const code = points[at]!;
    if (code === BACKSLASH) {
      if (at + 1 === points.length) return null;
      nodes.push({ kind: 'character', code: points[at + 1]! });
      at += 2;
    } else if (code === ASTERISK) {
      at = parseStars(points, at, nodes);
    } else if (code === OPENING) {
      const end = parseSet(points, at, nodes);
      if (end === null && syntax.brokenSet === 'nothing') return null;
      if (end === null) nodes.push({ kind: 'character', code });
      at = end ?? at + 1;
    } else {
      nodes.push(code === QUESTION_MARK ? { kind: 'any' } : { kind: 'character', code });
      at += 1;
    }
  }
  return nodes;
}

function parseStars(points: number[], start: number, nodes: WildcardNode[]): number {
  let end = start;
  while (points[end] === ASTERISK) end++;
  const next = points[end];
  const fillsPlace =
    end - start > 1 &&
    (start === 0 || points[start - 1] === SLASH) &&
    (next === undefined || next === SLASH || (next === BACKSLASH && points[end + 1] === SLASH));
  if (fillsPlace && next === SLASH) {
    nodes.push({ kind: 'folders-start' }, { kind: 'folders' });
    return end + 1;
  }
  nodes.push({ kind: fillsPlace ? 'globstar' : 'star' });
  return end;
}

/** Adds the set to `nodes` and returns its end; null when it is broken. */
function parseSet(points: number[], start: number, nodes: WildcardNode[]): number | null {
  const negated = points[start + 1] === EXCLAMATION_MARK || points[start + 1] === CARET;
  const ranges: CodeRange[] = [];
  const first = start + (negated ? 2 : 1);
  let previous: number | undefined;
  for (let at = first; at < points.length; ) {
    const code = points[at]!;
    if (code === CLOSING && at > first) {
      nodes.push({ kind: 'set', negated, ranges });
      return at + 1;
    }
    const isRange = code === HYPHEN && previous !== undefined && (points[at + 1] ?? CLOSING) !== CLOSING;
    const named = code === OPENING && points[at + 1] === COLON ? parseNamedSet(points, at + 2) : null;
    if (named === 'broken') return null;
    if (named) {
      ranges.push(...named.ranges);
      previous = undefined;
      at = named.end;
      continue;
    }
    if (isRange) at += 1;
    const escaped = points[at] === BACKSLASH;
    const member = points[escaped ? at + 1 : at];
    if (member === undefined) return null;
    ranges.push([isRange ? previous! : member, member]);
    previous = isRange ? undefined : member;
    at += escaped ? 2 : 1;
  }
  return null;
}

/** Parses `[:name:]` inside a set; null when the bracket is a plain member after all. */
function parseNamedSet(
  points: number[],
  start: number,
): { ranges: CodeRange[]; end: number } | 'broken' | null {
  const close = points.indexOf(CLOSING, start);
  if (close === -1) return 'broken';
  if (close === start || points[close - 1] !== COLON) return null;
  const name = String.fromCodePoint(...points.slice(start, close - 1));
  if (!Object.hasOwn(namedSets, name)) return 'broken';
  const pairs = Array.from(namedSets[name]!, (character) => character.charCodeAt(0));
  const ranges = pairs.flatMap((from, index): CodeRange[] =>
    index % 2 === 0 ? [[from, pairs[index + 1]!]] : [],
  );
  return { ranges, end: close + 1 };
}
