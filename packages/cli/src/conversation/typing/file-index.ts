import { setImmediate as nextRound } from 'node:timers/promises';
import { maskOf, type Searchable, score, searchable } from './fuzzy.js';

/** One file or folder that may be named with `@`. */
export interface IndexedPath {
  path: string;
  /** Ends with a slash. */
  isFolder: boolean;
}

interface Entry extends Searchable {
  path: string;
}

export interface FileIndex {
  /** Lists anew when the list is older than a moment; searches meanwhile use what is there. */
  refresh(): void;
  readonly isListing: boolean;
  /** Grows with every piece of the list that came in. */
  readonly size: number;
  /** The best fits, best first; gives up with null when the signal fires. Never holds the terminal up for long. */
  search(query: string, options: SearchOptions): Promise<IndexedPath[] | null>;
}

export interface SearchOptions {
  limit: number;
  /** Paths that were used lately, latest first. */
  recent: readonly string[];
  signal: AbortSignal;
}

export interface FileIndexNeeds {
  list(options: { signal: AbortSignal; onFile(path: string): boolean | undefined }): Promise<void>;
  now(): number;
}

const MAX_FILES = 500_000;
const FRESH_MS = 3_000;
/** Longest time in which no key is looked at. */
const SLICE_MS = 1;
const RECENT_BONUS = 600;

/** The files of the workspace with their folders, kept for the menu under the line. */
export function createFileIndex({ list, now }: FileIndexNeeds, signal: AbortSignal): FileIndex {
  let entries: Entry[] = [];
  let listedAt = Number.NEGATIVE_INFINITY;
  let isListing = false;

  async function listAnew(): Promise<void> {
    isListing = true;
    const next: Entry[] = [];
    // The first list is searched while it grows; later ones take the place of the one before.
    if (entries.length === 0) entries = next;
    const folders = new Set<string>();
    const onFile = (path: string): boolean => {
      if (isUnnameable(path)) return true;
      addFolders(path, folders, next);
      next.push({ path, ...searchable(path) });
      return next.length < MAX_FILES;
    };
    try {
      await list({ signal, onFile });
    } catch {
      // What was found so far is better than nothing.
    } finally {
      if (next.length > 0) entries = next;
      listedAt = now();
      isListing = false;
    }
  }

  return {
    refresh() {
      if (!isListing && now() - listedAt > FRESH_MS) void listAnew();
    },
    get isListing() {
      return isListing;
    },
    get size() {
      return entries.length;
    },
    search: (query, options) => searchIn(entries, query, options),
  };
}

/** Control characters and other blanks can't be written behind an `@`. */
function isUnnameable(path: string): boolean {
  return /[\p{C}]|[^\S ]/u.test(path);
}

function addFolders(path: string, known: Set<string>, into: Entry[]): void {
  let end = path.lastIndexOf('/');
  while (end > 0) {
    const folder = path.slice(0, end + 1);
    if (known.has(folder)) return;
    known.add(folder);
    into.push({ path: folder, ...searchable(folder) });
    end = path.lastIndexOf('/', end - 1);
  }
}

async function searchIn(
  entries: readonly Entry[],
  typed: string,
  { limit, recent, signal }: SearchOptions,
): Promise<IndexedPath[] | null> {
  const query = typed.toLowerCase();
  const mask = maskOf(query);
  const rank = new Map(recent.map((path, index) => [path, RECENT_BONUS - Math.min(500, index * 10)]));
  const best: { path: string; points: number }[] = [];
  let worst = 0;
  let sliceEnd = performance.now() + SLICE_MS;
  const count = entries.length;
  for (let index = 0; index < count; index++) {
    if ((index & 255) === 255 && performance.now() > sliceEnd) {
      await nextRound();
      if (signal.aborted) return null;
      sliceEnd = performance.now() + SLICE_MS;
    }
    const entry = entries[index]!;
    const fit = score(entry, query, mask);
    if (fit < 0) continue;
    const points = fit + (rank.get(entry.path) ?? 0);
    if (points <= worst && best.length >= limit) continue;
    insertSorted(best, { path: entry.path, points }, limit);
    worst = best.at(-1)?.points ?? 0;
  }
  return best.map(({ path }) => ({ path, isFolder: path.endsWith('/') }));
}

function insertSorted(
  best: { path: string; points: number }[],
  item: { path: string; points: number },
  limit: number,
): void {
  let at = best.length;
  while (at > 0 && best[at - 1]!.points < item.points) at -= 1;
  best.splice(at, 0, item);
  if (best.length > limit) best.pop();
}
