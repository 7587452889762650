import { setImmediate as nextRound } from 'node:timers/promises';
import { lowerUnits, maskOf, score } from './fuzzy.js';
import { createPathTable, hashOf, type PathBlock, type PathTable, pathAt, startOf } from './path-table.js';

/** A file or folder that may be named with `@`. */
export interface IndexedPath {
  path: string;
  /** Ends with a slash. */
  isFolder: boolean;
}

export interface FileIndex {
  /** Lists anew when the list is older than a moment, the recent paths first; searches meanwhile use what is there. */
  refresh(recent: readonly string[]): void;
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
  list(options: {
    first: readonly string[];
    signal: AbortSignal;
    onFile(path: string): boolean | undefined;
  }): Promise<void>;
  now(): number;
}

const MAX_FILES = 500_000;
const FRESH_MS = 3_000;
/** The longest time in which no key is looked at. */
const SLICE_MS = 0.5;
const RECENT_BONUS = 600;

/** The files of the workspace with their folders, kept for the menu under the line. */
export function createFileIndex({ list, now }: FileIndexNeeds, signal: AbortSignal): FileIndex {
  let table = createPathTable();
  let listedAt = Number.NEGATIVE_INFINITY;
  let isListing = false;

  async function listAnew(first: readonly string[]): Promise<void> {
    isListing = true;
    const next = createPathTable();
    // The first list is searched while it grows; later ones take the place of the one before.
    if (table.size === 0) table = next;
    const onFile = (path: string): boolean => {
      next.add(path);
      return next.size < MAX_FILES;
    };
    try {
      await list({ first, signal, onFile });
    } catch {
      // The paths found so far are better than nothing.
    } finally {
      if (next.size > 0) table = next;
      listedAt = now();
      isListing = false;
    }
  }

  return {
    refresh(recent) {
      if (!isListing && now() - listedAt > FRESH_MS) void listAnew(recent);
    },
    get isListing() {
      return isListing;
    },
    get size() {
      return table.size;
    },
    search: (query, options) => searchIn(table, query, options),
  };
}

async function searchIn(
  { blocks }: PathTable,
  typed: string,
  { limit, recent, signal }: SearchOptions,
): Promise<IndexedPath[] | null> {
  const query = lowerUnits(typed);
  const mask = maskOf(query);
  const bonus = createBonus(recent);
  const best: Found[] = [];
  let sliceEnd = performance.now() + SLICE_MS;
  const stretch = { from: 0, end: 0, base: 0 };
  for (const block of [...blocks]) {
    const { count, lower, ends, bases, masks } = block;
    for (let index = 0; index < count; index++) {
      if ((index & 63) === 63 && performance.now() > sliceEnd) {
        await nextRound();
        if (signal.aborted) return null;
        sliceEnd = performance.now() + SLICE_MS;
      }
      // Most paths lack one of the letters, which takes no look at their text.
      if ((masks[index]! & mask) !== mask) continue;
      stretch.from = startOf(block, index);
      stretch.end = ends[index]!;
      stretch.base = bases[index]!;
      const fit = score(lower, stretch, query);
      if (fit >= 0) insertSorted(best, { block, index, points: fit + bonus(block, index) }, limit);
    }
  }
  const paths = best.map(({ block, index }) => pathAt(block, index));
  return paths.map((path) => ({ path, isFolder: path.endsWith('/') }));
}

interface Found {
  block: PathBlock;
  index: number;
  points: number;
}

/** Gives more points to paths that were used lately. */
function createBonus(recent: readonly string[]): (block: PathBlock, index: number) => number {
  if (recent.length === 0) return () => 0;
  const byHash = new Map(
    recent.map((path, rank) => [hashOf(path), { path, points: RECENT_BONUS - Math.min(500, rank * 10) }]),
  );
  return (block, index) => {
    const known = byHash.get(block.hashes[index]!);
    return known && known.path === pathAt(block, index) ? known.points : 0;
  };
}

function insertSorted(best: Found[], item: Found, limit: number): void {
  if (best.length >= limit && item.points <= best[limit - 1]!.points) return;
  let at = best.length;
  while (at > 0 && best[at - 1]!.points < item.points) at -= 1;
  best.splice(at, 0, item);
  if (best.length > limit) best.pop();
}
