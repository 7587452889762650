import { type MatchLine, pathOf, readLines } from './match-lines.js';

export interface FileMatches {
  /** The path as ripgrep prints it. */
  path: string;
  count: number;
  /** Matches and context in order; fewer than there are once the limit is reached. */
  kept: MatchLine[][];
}

export interface CollectorOptions {
  /** Matches that will be shown at most, of the files first by name. */
  limit: number;
  /** Files that will be named at most beyond those shown. */
  named: number;
  /** False for a file whose matches must not count. */
  isWanted(path: string): boolean;
}

export interface Collector {
  onRecord(record: string): boolean;
  onLongRecord(beginning: string): boolean;
  finish(): Matches;
}

export interface Matches {
  /** Text files, the first by name: as many as can be shown and named. */
  files: FileMatches[];
  /** Binary files, the first by name: as many as can be named. */
  binary: FileMatches[];
  /** Over all files, those that were dropped too. */
  count: number;
  fileCount: number;
  binaryCount: number;
  /** Files that ripgrep looked into; null when it did not come to its end. */
  searched: number | null;
}

const MAX_MATCHES = 1_000_000;
const MATCH = '{"type":"match"';
const CONTEXT = '{"type":"context"';
const BEGIN = '{"type":"begin"';
const END = '{"type":"end"';
const NOT_BINARY = '"binary_offset":null';
/** An "end" message repeats the path of its "begin", so much further to the left. */
const END_SHIFT = '{"type":"begin","data":{"path":}}'.length - '{"type":"end","data":{"path":,'.length;

const unread: MatchLine = { number: null, isMatch: true, text: '[a line too long to be shown]' };

/** Keeps what will be shown of a stream of ripgrep's JSON messages and counts the rest. Files come in any order. */
export function createCollector({ limit, named, isWanted }: CollectorOptions): Collector {
  const shelf = createShelf(limit, named);
  const binaryShelf = createShelf(0, named);
  let file: FileMatches | null = null;
  let binaryAt = 0;
  const totals = { count: 0, fileCount: 0, binaryCount: 0 };
  let searched: number | null = null;

  const begin = (record: string): void => {
    const path = pathOf(record);
    file = isWanted(path) ? { path, count: 0, kept: [] } : null;
    binaryAt = record.length - END_SHIFT;
  };
  const line = (isMatch: boolean, read: () => MatchLine[]): void => {
    if (!file) return;
    if (isMatch) file.count += 1;
    if (file.count <= limit && shelf.takesLines(file.path)) file.kept.push(read());
  };
  const finishFile = (isBinary: boolean): void => {
    if (!file || file.count === 0) return;
    totals.count += file.count;
    totals.fileCount += 1;
    if (isBinary) {
      totals.binaryCount += 1;
      binaryShelf.put({ ...file, kept: [] });
    } else {
      shelf.put(file);
    }
    file = null;
  };

  return {
    onRecord(record) {
      if (record.startsWith(MATCH)) line(true, () => readLines(record));
      else if (record.startsWith(CONTEXT)) line(false, () => readLines(record));
      else if (record.startsWith(BEGIN)) begin(record);
      else if (record.startsWith(END)) finishFile(!record.startsWith(NOT_BINARY, binaryAt));
      else searched = JSON.parse(record).data?.stats?.searches ?? null;
      return totals.count < MAX_MATCHES;
    },
    onLongRecord(beginning) {
      if (beginning.startsWith(MATCH)) line(true, () => [unread]);
      return true;
    },
    finish() {
      finishFile(false);
      return { files: shelf.files(), binary: binaryShelf.files(), ...totals, searched };
    },
  };
}

/** Keeps the first files by name, and trims the list periodically. */
function createShelf(limit: number, named: number) {
  let files: FileMatches[] = [];
  let lines = 0;
  let lastShown: string | null = null;
  let lastNamed: string | null = null;

  const tidy = (): void => {
    files.sort((left, right) => (left.path < right.path ? -1 : 1));
    lines = 0;
    let shown = 0;
    for (; shown < files.length && lines < limit; shown++) lines += linesOf(files[shown]!);
    if (lines >= limit) lastShown = files[shown - 1]?.path ?? '';
    for (const file of files.slice(shown)) file.kept = [];
    if (files.length > shown + named) lastNamed = files[shown + named - 1]?.path ?? lastShown;
    files = files.slice(0, shown + named);
  };
  const linesOf = (file: FileMatches): number => (file.kept.length === 0 ? 0 : Math.min(file.count, limit));

  return {
    takesLines: (path: string) => lastShown === null || path <= lastShown,
    put(file: FileMatches): void {
      if (lastNamed !== null && file.path > lastNamed) return;
      files.push(file);
      lines += linesOf(file);
      if (lines > 4 * limit + 100 || files.length > 2 * (limit + named) + 100) tidy();
    },
    files(): FileMatches[] {
      tidy();
      return files;
    },
  };
}
