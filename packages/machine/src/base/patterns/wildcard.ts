/**
 * Wildcard patterns: `?` one character, `*` any run, `[…]` one of a set, none of which matches `/`; a `**` alone
 * between two slashes matches any number of folders; `\` makes the next character plain.
 */

type WildcardNode =
  | { kind: 'character'; code: number }
  | { kind: 'set'; negated: boolean; ranges: CodeRange[] }
  | { kind: 'any' }
  | { kind: 'star' }
  /** A run of any characters, including slashes. */
  | { kind: 'globstar' }
  /** "Any folders and a slash" is two nodes: the first may match nothing, the second may not. */
  | { kind: 'folders-start' }
  | { kind: 'folders' };

type CodeRange = [from: number, to: number];

interface WildcardSyntax {
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
function parseWildcard(pattern: string, syntax: WildcardSyntax): WildcardNode[] | null {
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

export interface WildcardOptions extends WildcardSyntax {
  caseSensitive: boolean;
}

export interface Wildcard {
  fits(text: string): boolean;
  /** The parsed pattern, in lower case if case does not matter. */
  readonly nodes: readonly WildcardNode[];
}

/**
 * Compiles a pattern to a set of states that runs over the text in one pass, without backtracking. Patterns come from
 * models and from files of the workspace, and none may cost more than its length times the text's. Simple shapes have
 * short cuts, which make a search three times as fast.
 */
export function compileWildcard(pattern: string, options: WildcardOptions): Wildcard {
  const nodes = parseWildcard(options.caseSensitive ? pattern : pattern.toLowerCase(), options);
  if (nodes === null) return { fits: () => false, nodes: [] };
  const byEnding = compileEnding(nodes, options.caseSensitive);
  if (byEnding) return { nodes, fits: byEnding };
  const [prefix, suffix] = [literal(nodes), literal(nodes.toReversed(), (before, next) => next + before)];
  const fitsRest = compileRest(nodes.slice(Array.from(prefix).length), options.caseSensitive);
  return {
    nodes,
    fits(text) {
      const folded = options.caseSensitive ? text : text.toLowerCase();
      if (!folded.startsWith(prefix) || !folded.endsWith(suffix)) return false;
      return fitsRest(folded.slice(prefix.length));
    },
  };
}

/** The plain characters at the start, which alone turn most texts away. */
function literal(
  nodes: readonly WildcardNode[],
  join = (before: string, next: string) => before + next,
): string {
  let text = '';
  for (const node of nodes) {
    if (node.kind !== 'character') break;
    text = join(text, String.fromCodePoint(node.code));
  }
  return text;
}

/** Compiles a star with a plain ending, in this folder or in any, the most common pattern: only the ending is compared. */
function compileEnding(
  nodes: readonly WildcardNode[],
  caseSensitive: boolean,
): ((text: string) => boolean) | null {
  const inFolders = nodes[0]?.kind === 'folders-start';
  const [star, ...ending] = inFolders ? nodes.slice(2) : nodes;
  const isPlain = ending.every((node) => node.kind === 'character' && node.code < 128 && node.code !== SLASH);
  if (star?.kind !== 'star' || !isPlain) return null;
  const wanted = literal(ending);
  return (text) => {
    const found = text.slice(text.length - wanted.length);
    if ((caseSensitive ? found : found.toLowerCase()) !== wanted) return false;
    return inFolders || !text.includes('/');
  };
}

/** Compiles the part behind the plain beginning, which nearly always has one of three simple shapes. */
function compileRest(nodes: readonly WildcardNode[], caseSensitive: boolean): (rest: string) => boolean {
  if (nodes.length === 1 && nodes[0]!.kind === 'globstar') return () => true;
  const name = nodes[0]?.kind === 'folders-start' ? nodes.slice(2) : nodes;
  const isOnePlace = name.every((node) =>
    node.kind === 'character' ? node.code !== SLASH : ['set', 'any', 'star'].includes(node.kind),
  );
  if (!isOnePlace) return (rest) => simulate(nodes, rest, caseSensitive);
  if (name === nodes) return (rest) => !rest.includes('/') && fitsName(name, rest, caseSensitive);
  return (rest) => fitsName(name, rest.slice(rest.lastIndexOf('/') + 1), caseSensitive);
}

/** Matches without states: in a name without slashes, only the last star ever needs to grow. */
function fitsName(nodes: readonly WildcardNode[], name: string, caseSensitive: boolean): boolean {
  let [at, state, starState, starAt] = [0, 0, -1, 0];
  while (at < name.length) {
    const code = name.codePointAt(at)!;
    const node = nodes[state];
    if (node?.kind === 'star') {
      starState = state++;
      starAt = at;
    } else if (node && takes(node, code, caseSensitive)) {
      state += 1;
      at += widthOf(code);
    } else if (starState === -1) {
      return false;
    } else {
      starAt += widthOf(name.codePointAt(starAt)!);
      at = starAt;
      state = starState + 1;
    }
  }
  while (nodes[state]?.kind === 'star') state++;
  return state === nodes.length;
}

function widthOf(code: number): number {
  return code > 0xffff ? 2 : 1;
}

function simulate(nodes: readonly WildcardNode[], text: string, caseSensitive: boolean): boolean {
  const marks = new Int32Array(nodes.length + 1).fill(-1);
  let current: number[] = [];
  let next: number[] = [];
  let step = 0;

  const enter = (state: number): void => {
    for (let at = state; marks[at] !== step; at++) {
      marks[at] = step;
      next.push(at);
      const kind = nodes[at]?.kind;
      if (kind === 'folders-start') enter(at + 2);
      else if (kind !== 'star' && kind !== 'globstar') break;
    }
  };

  enter(0);
  for (let index = 0; index < text.length && next.length > 0; ) {
    const code = text.codePointAt(index)!;
    index += widthOf(code);
    [current, next] = [next, current];
    next.length = 0;
    step += 1;
    for (const state of current) {
      const node = nodes[state];
      if (node?.kind === 'folders') {
        enter(state);
        if (code === SLASH) enter(state + 1);
      } else if (node && takes(node, code, caseSensitive)) {
        enter(node.kind === 'star' || node.kind === 'globstar' ? state : state + 1);
      }
    }
  }
  return next.includes(nodes.length);
}

function takes(node: WildcardNode, code: number, caseSensitive: boolean): boolean {
  switch (node.kind) {
    case 'character':
      return code === node.code;
    case 'set':
      return code !== SLASH && (inSet(node.ranges, code) || alsoUpper(node.ranges, code)) !== node.negated;
    case 'folders-start':
      return false;
    case 'any':
    case 'star':
      return code !== SLASH;
    default:
      return true;
  }

  function alsoUpper(ranges: readonly (readonly [number, number])[], lower: number): boolean {
    return !caseSensitive && inSet(ranges, String.fromCodePoint(lower).toUpperCase().codePointAt(0)!);
  }
}

function inSet(ranges: readonly (readonly [number, number])[], code: number): boolean {
  return ranges.some(([from, to]) => code >= from && code <= to);
}
