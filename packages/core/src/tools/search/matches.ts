import { type MatchLine, pathOf, readLines } from './match-lines.js';

/** What ripgrep found in one file. */
export interface FileMatches {
  /** As ripgrep prints it. */
  path: string;
  /** Matching lines. */
  count: number;
  isBinary: boolean;
  /** Matches and context in order; fewer than there are once the limit is reached. */
  kept: MatchLine[][];
}

export interface CollectorOptions {
  /** Matching lines that will be shown at most, of the files first by name. */
  limit: number;
  /** False for a file whose matches must not count. */
  isWanted(path: string): boolean;
}

export interface Collector {
  onRecord(record: string): boolean;
  onLongRecord(beginning: string): boolean;
  /** Everything found so far, by name. */
  finish(): Matches;
}

export interface Matches {
  files: FileMatches[];
  count: number;
  /** Files that ripgrep looked into; null when it did not come to its end. */
  searched: number | null;
}

const MAX_MATCHES = 1_000_000;
const MAX_FILES = 100_000;
const MATCH = '{"type":"match"';
const CONTEXT = '{"type":"context"';
const BEGIN = '{"type":"begin"';
const END = '{"type":"end"';
const NOT_BINARY = '"binary_offset":null';

/**
 * Keeps what will be shown of a stream of ripgrep's JSON messages and counts the rest. Files come in any order, so
 * lines are kept for a few more than needed, and dropped again once enough files come before theirs.
 */
export function createCollector({ limit, isWanted }: CollectorOptions): Collector {
  const files: FileMatches[] = [];
  let file: FileMatches | null = null;
  let count = 0;
  let kept = 0;
  let lastShown: string | null = null;
  let searched: number | null = null;

  const begin = (record: string): void => {
    const path = pathOf(record);
    file = isWanted(path) ? { path, count: 0, isBinary: false, kept: [] } : null;
  };
  const line = (isMatch: boolean, read: () => MatchLine[]): void => {
    if (!file) return;
    if (isMatch) {
      file.count += 1;
      count += 1;
    }
    if (file.count > limit || (lastShown !== null && file.path > lastShown)) return;
    file.kept.push(read());
    if (isMatch) kept += 1;
  };
  const end = (record: string): void => {
    if (!file || file.count === 0) return;
    if (!record.includes(NOT_BINARY)) {
      file.isBinary = true;
      file.kept = [];
    }
    files.push(file);
    file = null;
    if (kept > 4 * limit + 100) prune();
  };
  const prune = (): void => {
    files.sort(byPath);
    kept = 0;
    for (const each of files) {
      if (kept >= limit) each.kept = [];
      else lastShown = each.path;
      kept += each.kept.length === 0 ? 0 : Math.min(each.count, limit);
    }
    if (kept < limit) lastShown = null;
  };

  return {
    onRecord(record) {
      if (record.startsWith(MATCH)) line(true, () => readLines(record));
      else if (record.startsWith(CONTEXT)) line(false, () => readLines(record));
      else if (record.startsWith(BEGIN)) begin(record);
      else if (record.startsWith(END)) end(record);
      else searched = JSON.parse(record).data?.stats?.searches ?? null;
      return count < MAX_MATCHES && files.length < MAX_FILES;
    },
    onLongRecord(beginning) {
      const unread: MatchLine = { number: null, isMatch: true, text: '[a line too long to be shown]' };
      if (beginning.startsWith(MATCH)) line(true, () => [unread]);
      return true;
    },
    finish() {
      if (file && file.count > 0) files.push(file);
      file = null;
      return { files: files.sort(byPath), count, searched };
    },
  };
}

function byPath(left: FileMatches, right: FileMatches): number {
  return left.path < right.path ? -1 : 1;
}
