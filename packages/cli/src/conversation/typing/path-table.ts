import { lowerUnit, maskBit } from './fuzzy.js';

/**
 * Many paths, made ready for being searched. They stand in arrays of numbers, so that collecting garbage takes no time that a key
 * would have to wait for.
 */
export interface PathTable {
  readonly size: number;
  readonly blocks: readonly PathBlock[];
  /** A file, with the folders above it that are new; or a folder, which ends with a slash. */
  add(path: string): void;
}

export interface PathBlock {
  count: number;
  units: Uint16Array;
  lower: Uint16Array;
  /** The end of each path, where the next one begins. */
  ends: Uint16Array;
  /** The start of the last segment of each path. */
  bases: Uint16Array;
  /** The letters and digits that occur in each path. */
  masks: Int32Array;
  hashes: Int32Array;
}

const MOST_PATHS = 2_048;
const MOST_UNITS = 65_535;
const LONGEST_PATH = 4_096;

export function createPathTable(): PathTable {
  const blocks: PathBlock[] = [];
  const folders = new Set<string>();
  let size = 0;
  let lastFolder = '';

  function append(path: string): void {
    let block = blocks.at(-1);
    if (!block || !hasRoom(block, path)) blocks.push((block = emptyBlock()));
    appendTo(block, path);
    size += 1;
  }

  function addFolders(path: string, end: number): void {
    for (let until = end; until > 0; until = path.lastIndexOf('/', until - 1)) {
      const folder = path.slice(0, until + 1);
      if (folders.has(folder)) return;
      folders.add(folder);
      append(folder);
    }
  }

  return {
    get size() {
      return size;
    },
    blocks,
    add(path) {
      if (path.length > LONGEST_PATH || isUnnameable(path)) return;
      const end = path.lastIndexOf('/');
      // Files of one folder come in a row.
      const isSameFolder = end + 1 === lastFolder.length && path.startsWith(lastFolder);
      if (!isSameFolder && end > 0) {
        lastFolder = path.slice(0, end + 1);
        addFolders(path, end);
      }
      if (end + 1 < path.length) append(path);
    },
  };
}

export function startOf({ ends }: PathBlock, index: number): number {
  return index === 0 ? 0 : ends[index - 1]!;
}

export function pathAt(block: PathBlock, index: number): string {
  return String.fromCharCode(...block.units.subarray(startOf(block, index), block.ends[index]));
}

export function hashOf(path: string): number {
  let hash = 0;
  for (let index = 0; index < path.length; index++) hash = nextHash(hash, path.charCodeAt(index));
  return hash;
}

function nextHash(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 16_777_619);
}

function hasRoom(block: PathBlock, path: string): boolean {
  return block.count < MOST_PATHS && startOf(block, block.count) + path.length <= MOST_UNITS;
}

function emptyBlock(): PathBlock {
  return {
    count: 0,
    units: new Uint16Array(MOST_UNITS),
    lower: new Uint16Array(MOST_UNITS),
    ends: new Uint16Array(MOST_PATHS),
    bases: new Uint16Array(MOST_PATHS),
    masks: new Int32Array(MOST_PATHS),
    hashes: new Int32Array(MOST_PATHS),
  };
}

function appendTo(block: PathBlock, path: string): void {
  const { count, units, lower } = block;
  const start = startOf(block, count);
  let mask = 0;
  let hash = 0;
  for (let index = 0; index < path.length; index++) {
    const unit = path.charCodeAt(index);
    const small = lowerUnit(unit);
    units[start + index] = unit;
    lower[start + index] = small;
    mask |= maskBit(small);
    hash = nextHash(hash, unit);
  }
  block.ends[count] = start + path.length;
  block.bases[count] = start + path.lastIndexOf('/', path.length - 2) + 1;
  block.masks[count] = mask;
  block.hashes[count] = hash;
  block.count += 1;
}

/** Control characters and other blanks can't be written behind an `@`. */
function isUnnameable(path: string): boolean {
  return !/^[ -~]*$/.test(path) && /[\p{C}]|[^\S ]/u.test(path);
}
