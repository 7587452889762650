import { formatNumber, plural } from '@toolwright/machine/base/amounts.js';
import type { MatchLine } from './match-lines.js';
import type { FileMatches, Matches } from './matches.js';

export interface RenderOptions {
  /** Matches to show at most. */
  limit: number;
  /** Lines of context were asked for: gaps between them are marked. */
  hasContext: boolean;
  show(path: string): string;
}

export interface Rendered {
  lines: string[];
  /** Files of which lines are shown. */
  paths: string[];
}

const MAX_CHARACTERS = 40_000;
export const MAX_NAMED = 20;

/** Matches grouped by file with line numbers, and what is not shown as counts. */
export function renderMatches(matches: Matches, options: RenderOptions): Rendered {
  const { limit, show } = options;
  const body: string[] = [];
  const paths: string[] = [];
  const unseen: FileMatches[] = [];
  let left = limit;
  let room = MAX_CHARACTERS;
  let isCut = false;
  for (const file of matches.files) {
    const part = renderFile(file, { left, room, hasContext: options.hasContext });
    if (part.shown === 0) {
      unseen.push(file);
      continue;
    }
    left -= part.shown;
    room -= part.size;
    paths.push(file.path);
    body.push('', show(file.path), ...part.lines);
    if (part.shown === file.count) continue;
    isCut = true;
    body.push(`[${formatNumber(file.count - part.shown)} more in this file]`);
  }
  const shown = limit - left;
  const cut = shown < matches.count ? `, ${formatNumber(shown)} shown` : '';
  const heading = `${countMatches(matches.count)} in ${plural(matches.fileCount, 'file')}${cut}`;
  const unseenCount = matches.fileCount - matches.binaryCount - paths.length;
  const rest = [
    ...nameFiles('Binary files that match', matches.binary, { show, total: matches.binaryCount }),
    ...nameFiles('Not shown', unseen, { show, total: unseenCount }),
  ];
  if (isCut || unseenCount > 0) rest.push('[For more, raise limit or narrow the search with path or glob.]');
  return { lines: [heading, ...body, ...rest], paths };
}

export function countMatches(count: number): string {
  return count === 1 ? '1 match' : `${formatNumber(count)} matches`;
}

interface Part {
  lines: string[];
  shown: number;
  size: number;
}

function renderFile(file: FileMatches, bounds: { left: number; room: number; hasContext: boolean }): Part {
  const part: Part = { lines: [], shown: 0, size: 0 };
  let expected: number | null = null;
  for (const read of bounds.left > 0 ? file.kept : []) {
    const isMatch = read[0]?.isMatch === true;
    if (isMatch && part.shown === bounds.left) break;
    const isGap: boolean = bounds.hasContext && expected !== null && read[0]?.number !== expected;
    const text = [...(isGap ? ['--'] : []), ...read.map(renderLine)];
    const size = text.reduce((sum, line) => sum + line.length + 1, 0);
    if (part.size + size > bounds.room) break;
    part.lines.push(...text);
    part.size += size;
    if (isMatch) part.shown += 1;
    expected = (read.at(-1)?.number ?? 0) + 1;
  }
  return part.shown === 0 ? { lines: [], shown: 0, size: 0 } : part;
}

function renderLine({ number, isMatch, text }: MatchLine): string {
  return number === null ? text : `${number}${isMatch ? ':' : '-'} ${text}`;
}

/** Names with counts, as many as are useful. */
export function nameFiles(
  label: string,
  files: readonly { path: string; count: number }[],
  { show, total = files.length }: { show(path: string): string; total?: number },
): string[] {
  if (files.length === 0) return [];
  const names = files.slice(0, MAX_NAMED).map(({ path, count }) => `${show(path)} (${formatNumber(count)})`);
  const more = total - names.length;
  return ['', `${label}: ${names.join(', ')}${more > 0 ? ` and ${plural(more, 'more file')}` : ''}`];
}
