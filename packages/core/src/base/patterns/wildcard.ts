import { parseWildcard, type WildcardNode, type WildcardSyntax } from './wildcard-syntax.js';

export interface WildcardOptions extends WildcardSyntax {
  caseSensitive: boolean;
}

export interface Wildcard {
  fits(text: string): boolean;
  /** The parsed pattern, lower-cased where case does not matter. */
  readonly nodes: readonly WildcardNode[];
}

const SLASH = 47;

/**
 * Runs a pattern as a set of states over the text: one pass, no backtracking. Patterns come from models and from
 * files of the workspace, and none may cost more than its length times the text's.
 */
export function compileWildcard(pattern: string, options: WildcardOptions): Wildcard {
  const nodes = parseWildcard(options.caseSensitive ? pattern : pattern.toLowerCase(), options);
  if (nodes === null) return { fits: () => false, nodes: [] };
  const suffix = literalSuffix(nodes);
  return {
    nodes,
    fits(text) {
      const folded = options.caseSensitive ? text : text.toLowerCase();
      return folded.endsWith(suffix) && simulate(nodes, folded, options.caseSensitive);
    },
  };
}

/** The characters every fitting text ends with: most texts are turned away by them alone. */
function literalSuffix(nodes: readonly WildcardNode[]): string {
  let suffix = '';
  for (let index = nodes.length - 1; index >= 0; index--) {
    const node = nodes[index]!;
    if (node.kind !== 'character') break;
    suffix = String.fromCodePoint(node.code) + suffix;
  }
  return suffix;
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
    index += code > 0xffff ? 2 : 1;
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
