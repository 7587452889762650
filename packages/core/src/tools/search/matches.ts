import { type MatchLine, pathOf, readLines } from './match-lines.js';

/** What ripgrep found in one file. */
export interface FileMatches {
  /** Relative to the folder ripgrep ran in. */
  path: string;
  /** Matching lines. */
  count: number;
  isBinary: boolean;
  /** Matches and context in order; fewer than there are once the limit is reached. */
  kept: Kept[];
}

/** One match or line of context. A short record is kept as ripgrep printed it and read only if it is shown. */
export type Kept = Buffer | MatchLine[];

export interface CollectorOptions {
  /** Matching lines that will be shown at most, of the files first by name. */
  limit: number;
  /** False for a file whose matches must not count. */
  isWanted(path: string): boolean;
}

export interface Collector {
  onRecord(record: Buffer): boolean;
  onLongRecord(beginning: Buffer): boolean;
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
const MAX_UNREAD = 4096;
const MATCH = Buffer.from('{"type":"match"');
const CONTEXT = Buffer.from('{"type":"context"');
const BEGIN = Buffer.from('{"type":"begin"');
const END = Buffer.from('{"type":"end"');
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

  const begin = (record: Buffer): void => {
    const path = pathOf(record);
    file = isWanted(path) ? { path, count: 0, isBinary: false, kept: [] } : null;
  };
  const line = (isMatch: boolean, keep: () => Kept): void => {
    if (!file) return;
    if (isMatch) {
      file.count += 1;
      count += 1;
    }
    if (file.count > limit || (lastShown !== null && file.path > lastShown)) return;
    file.kept.push(keep());
    if (isMatch) kept += 1;
  };
  const copy = (record: Buffer): Kept =>
    record.length > MAX_UNREAD ? readLines(record) : Buffer.from(record);
  const end = (record: Buffer): void => {
    if (!file || file.count === 0) return;
    if (record.indexOf(NOT_BINARY) === -1) {
      file.isBinary = true;
      file.kept = [];
    }
    files.push(file);
    file = null;
    if (kept > 4 * limit + 1000) prune();
  };
  const prune = (): void => {
    files.sort(byPath);
    kept = 0;
    for (const each of files) {
      if (kept >= limit) each.kept = [];
      else lastShown = each.path;
      kept += each.kept.length === 0 ? 0 : each.count;
    }
    if (kept < limit) lastShown = null;
  };

  return {
    onRecord(record) {
      if (startsWith(record, MATCH)) line(true, () => copy(record));
      else if (startsWith(record, CONTEXT)) line(false, () => copy(record));
      else if (startsWith(record, BEGIN)) begin(record);
      else if (startsWith(record, END)) end(record);
      else searched = JSON.parse(record.toString()).data?.stats?.searches ?? null;
      return count < MAX_MATCHES && files.length < MAX_FILES;
    },
    onLongRecord(beginning) {
      const unread: MatchLine = { number: null, isMatch: true, text: '[a line too long to be shown]' };
      if (startsWith(beginning, MATCH)) line(true, () => [unread]);
      return true;
    },
    finish() {
      if (file && file.count > 0) files.push(file);
      file = null;
      return { files: files.sort(byPath), count, searched };
    },
  };
}

function startsWith(record: Buffer, beginning: Buffer): boolean {
  return (
    record.length >= beginning.length &&
    record.compare(beginning, 0, beginning.length, 0, beginning.length) === 0
  );
}

function byPath(left: FileMatches, right: FileMatches): number {
  return left.path < right.path ? -1 : 1;
}
