import { join, resolve } from 'node:path';
import type { AnalysisContext } from './analysis.js';
import type { ShellWord } from './shell-word.js';

const MOST_ENTRIES = 10_000;

type FolderEntry = NonNullable<ReturnType<NonNullable<AnalysisContext['entriesOf']>>>[number];

/** A link and what it leads to; null where that can't be told from here. */
interface Link {
  path: string;
  real: string | null;
}

interface Search {
  context: AnalysisContext;
  /** Number of entries that may still be looked at. */
  left: number;
  links: Link[];
  /** Folders that were looked into, after links. */
  entered: Set<string>;
}

/** Links among the names that a pattern stands for; null: too many names to look. */
export function linksAmong(
  word: ShellWord,
  directories: readonly string[],
  context: AnalysisContext,
): Link[] | null {
  if (context.entriesOf === undefined) return [];
  const search: Search = { context, left: MOST_ENTRIES, links: [], entered: new Set() };
  const isDone = directories.every((directory) => {
    const [first, ...names] = word.text.split('/');
    const begin = first === '' ? '/' : directory;
    const segments = first === '' ? names : [first!, ...names];
    if (word.deep === undefined) return follow(begin, segments, search);
    return lookBelow(resolve(directory, word.prefix), search, word.deep);
  });
  return isDone ? search.links : null;
}

/** Follows a pattern name by name. Names before the first wildcard mean one place, which the caller checks. */
function follow(
  folder: string,
  [segment, ...rest]: readonly string[],
  search: Search,
  isBehindWildcard = false,
): boolean {
  if (segment === undefined) return true;
  if (!/[*?[]/.test(segment)) {
    const path = join(folder, segment);
    if (isBehindWildcard && !note(path, search)) return false;
    return follow(path, rest, search, isBehindWildcard);
  }
  const found = entriesMatching(folder, search, segment);
  if (rest.length === 0) return found !== undefined;
  return !!found?.every(
    ({ name, kind }) => kind === 'other' || follow(join(folder, name), rest, search, true),
  );
}

/** Records a name written out behind a wildcard if it is a link. False: too many names. */
function note(path: string, search: Search): boolean {
  const real = search.context.realPath?.(path) ?? path;
  if (real !== path) search.links.push({ path, real });
  search.left -= 1;
  return search.left >= 0;
}

function lookBelow(folder: string, search: Search, deep: NonNullable<ShellWord['deep']>): boolean {
  if (deep === 'through links' && !isNew(folder, search)) return true;
  const found = entriesMatching(folder, search);
  const isEntered = (kind: FolderEntry['kind']): boolean =>
    kind === 'folder' || (kind === 'link' && deep === 'through links');
  return !!found?.every(({ name, kind }) => !isEntered(kind) || lookBelow(join(folder, name), search, deep));
}

/** True for a folder that was not entered yet: links may lead in circles. */
function isNew(folder: string, { context, entered }: Search): boolean {
  const real = context.realPath?.(folder) ?? folder;
  if (entered.has(real)) return false;
  entered.add(real);
  return true;
}

/** The names in a folder that fit; links among them are noted. Undefined: too many. */
function entriesMatching(
  folder: string,
  search: Search,
  pattern?: string,
): readonly FolderEntry[] | undefined {
  const { context } = search;
  const entries = context.entriesOf?.(folder, search.left);
  if (!entries) return undefined;
  search.left -= entries.length;
  const fitting = entries.filter(({ name }) => pattern === undefined || fits(name, pattern));
  for (const { name, kind } of fitting) {
    const path = join(folder, name);
    if (kind !== 'link') continue;
    // A name that is not UTF-8 can't be followed from here.
    const isKnown = !name.includes('\ufffd');
    search.links.push({ path, real: isKnown ? (context.realPath?.(path) ?? path) : null });
  }
  return fitting;
}

/** Matches a name in linear time. Brackets match anything, as does `?` where it may stand for more than one unit of the name. */
function fits(name: string, pattern: string): boolean {
  if (/[[\]]/.test(pattern) || (pattern.includes('?') && /[\ud800-\udfff\ufffd]/.test(name))) return true;
  if (name.startsWith('.') && !pattern.startsWith('.')) return false;
  const [head = '', ...parts] = pattern.split(/\*+/);
  if (parts.length === 0) return name.length === head.length && matchesAt(name, head, 0);
  const tail = parts.pop()!;
  const end = name.length - tail.length;
  let at = head.length;
  if (at > end || !matchesAt(name, head, 0) || !matchesAt(name, tail, end)) return false;
  for (const part of parts) {
    while (at + part.length <= end && !matchesAt(name, part, at)) at++;
    if (at + part.length > end) return false;
    at += part.length;
  }
  return true;
}

function matchesAt(name: string, part: string, at: number): boolean {
  for (let index = 0; index < part.length; index++) {
    if (part[index] !== '?' && part[index] !== name[at + index]) return false;
  }
  return true;
}
