import { compileWildcard, type Wildcard } from './wildcard.js';

/** A file pattern as a model writes it, with wildcards, `**` and `{a,b}`. */
export interface Glob {
  /** `path` is relative, with `/` as separator. */
  fits(path: string): boolean;
  /**
   * Patterns for the file name alone; every fitting path fits one of them. They consist of letters, digits, `.`, `_`,
   * `-`, `*` and two-letter sets, which every glob engine reads alike. Empty when any name is possible.
   */
  readonly nameSketches: readonly string[];
}

export interface GlobOptions {
  caseSensitive: boolean;
  /** A pattern without a slash fits a file of that name at any depth. */
  nameAtAnyDepth?: boolean;
}

const MAX_LENGTH = 2048;
const MAX_ALTERNATIVES = 256;

/** Compiles a pattern, or says what is wrong with it. */
export function parseGlob(pattern: string, options: GlobOptions): Glob | { problem: string } {
  if (pattern.length > MAX_LENGTH) return { problem: `is longer than ${MAX_LENGTH} characters` };
  if (pattern.includes('\0')) return { problem: 'contains a NUL character' };
  const alternatives = expandBraces(pattern);
  if (alternatives === null) return { problem: `stands for more than ${MAX_ALTERNATIVES} patterns` };
  const wildcards = alternatives.flatMap((alternative) => {
    const cleaned = alternative.replace(/^(?:\.\/+)+/, '').replace(/\/$/, '/**');
    const anyDepth = options.nameAtAnyDepth && !cleaned.includes('/');
    return readings(anyDepth ? `**/${cleaned}` : cleaned, options);
  });
  const sketches = wildcards.map((wildcard) => nameSketch(wildcard, options));
  return {
    fits: (path) => wildcards.some((wildcard) => wildcard.fits(path)),
    nameSketches: sketches.includes('*') || sketches.includes('') ? [] : [...new Set(sketches)],
  };
}

/** Reads brackets both as sets and as plain characters: folders such as `[id]` are common, also in patterns. */
function readings(pattern: string, options: GlobOptions): Wildcard[] {
  const asSets = compileWildcard(pattern, { ...options, brokenSet: 'character' });
  if (!pattern.includes('[')) return [asSets];
  const escaped = pattern.replace(/\\.|\[/gs, (found) => (found === '[' ? '\\[' : found));
  return [asSets, compileWildcard(escaped, { ...options, brokenSet: 'character' })];
}

/**
 * Expands braces into every pattern they stand for; null when there are too many. Braces without a comma are plain
 * characters.
 */
export function expandBraces(pattern: string, limit = MAX_ALTERNATIVES): string[] | null {
  const group = firstGroup(pattern);
  if (group === null) return [pattern];
  const expanded: string[] = [];
  for (const choice of group.choices) {
    const rest = expandBraces(choice + pattern.slice(group.end), limit - expanded.length);
    if (rest === null) return null;
    for (const each of rest) expanded.push(pattern.slice(0, group.start) + each);
  }
  return expanded.length > limit ? null : expanded;
}

interface Group {
  start: number;
  end: number;
  choices: string[];
}

/** The leftmost brace group with a comma of its own. */
function firstGroup(pattern: string): Group | null {
  const open: { start: number; commas: number[] }[] = [];
  let found: Group | null = null;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === '\\') at += 1;
    else if (character === '{') open.push({ start: at, commas: [] });
    else if (character === ',') open.at(-1)?.commas.push(at);
    else if (character === '}') {
      const group = open.pop();
      if (!group || group.commas.length === 0 || (found && found.start < group.start)) continue;
      const borders = [group.start, ...group.commas, at];
      const choices = borders.slice(1).map((border, index) => pattern.slice(borders[index]! + 1, border));
      found = { start: group.start, end: at + 1, choices };
    }
  }
  return found;
}

/** The last component of the pattern, with a star for whatever is not a plain character. */
function nameSketch({ nodes }: Wildcard, options: GlobOptions): string {
  let sketch = '';
  for (const node of nodes) {
    const isBorder = node.kind === 'folders' || (node.kind === 'character' && node.code === 47);
    if (isBorder) sketch = '';
    else if (node.kind !== 'folders-start')
      sketch += node.kind === 'character' ? sketchOf(node.code, options) : '*';
  }
  return sketch.replace(/\*+/g, '*');
}

function sketchOf(code: number, options: GlobOptions): string {
  const character = String.fromCodePoint(code);
  if (/[0-9._-]/.test(character)) return character;
  if (!/[a-zA-Z]/.test(character)) return '*';
  return options.caseSensitive ? character : `[${character.toLowerCase()}${character.toUpperCase()}]`;
}

/** Splits a pattern into its leading plain folders and the rest. */
export function splitPlainFolders(pattern: string): { folder: string; rest: string } {
  const places = pattern.split('/');
  let plain = 0;
  while (plain < places.length - 1 && !/[*?[\]{}\\]/.test(places[plain]!)) plain++;
  if (plain === 0) return { folder: '', rest: pattern };
  return { folder: places.slice(0, plain).join('/') || '/', rest: places.slice(plain).join('/') || '**' };
}
