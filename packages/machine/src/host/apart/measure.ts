import { lstatSync, type Stats } from 'node:fs';
import { orNull } from '../../base/errors.js';
import { copiesIn, isCopyView } from '../staging/copy.js';
import { type BytePath, bytePath, inside, namesAt } from '../staging/tree-entry.js';

/** The room that a session apart takes up. */
export interface ApartSize {
  /** The size on the disk. */
  bytes: number;
  /** Changed files, deletion marks and empty folders, those that were kept meanwhile included. */
  entries: number;
  /** True if there is more than was counted. */
  isPartial: boolean;
}

const MOST_ENTRIES = 200_000;
const BLOCK = 512;
/** Everything else beside them tells of changes. What ends in `.tmp` a kill has left. */
const bookkeeping =
  /^(?:about\.json|bases|bases\.jsonl|cleared|copied-\d+\.json|copy-\d+|intents|pid|search|work-\d+|\..+\.tmp)$/;

interface Visited {
  at: BytePath;
  /** Steps below the folder of the session apart. */
  depth: number;
  holdsChanges: boolean;
}

/** Counts without opening a file. What can't be looked at counts as a change: nobody may take it for nothing. */
export async function measureApart(folder: string, most = MOST_ENTRIES): Promise<ApartSize> {
  const size: ApartSize = { bytes: 0, entries: await changedInCopies(folder), isPartial: false };
  const places: Visited[] = [{ at: bytePath(folder), depth: 0, holdsChanges: true }];
  let seen = 0;
  for (let place = places.pop(); place; place = places.pop()) {
    const { at, depth, holdsChanges } = place;
    const found = orNull(() => lstatSync(at));
    const names = found && namesInside(at, found);
    size.bytes += (found?.blocks ?? 0) * BLOCK;
    if (holdsChanges && isEntry(names, depth)) size.entries += 1;
    for (const name of names ?? []) {
      const isOurs = depth === 0 && bookkeeping.test(name.toString('latin1'));
      places.push({ at: inside(at, name), depth: depth + 1, holdsChanges: holdsChanges && !isOurs });
    }
    seen += 1;
    if (seen >= most) return { ...size, isPartial: places.length > 0 };
    if (seen % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return size;
}

async function changedInCopies(folder: string): Promise<number> {
  if (!isCopyView(folder)) return 0;
  const { countTouched } = await import('../staging/compare-copy.js');
  const copies = orNull(() => copiesIn(folder));
  if (copies === null) return 1;
  let changed = 0;
  for (const copy of copies) changed += await countTouched(copy);
  return changed;
}

/** Undefined for what is no folder, null for a folder that can't be read. */
function namesInside(at: BytePath, found: Stats): BytePath[] | undefined | null {
  if (!found.isDirectory()) return undefined;
  const names = orNull(() => namesAt(at));
  return names && [...names.values()];
}

/** A layer that is empty has no changes; an empty folder inside one is a change. */
function isEntry(names: readonly BytePath[] | undefined | null, depth: number): boolean {
  return names ? names.length === 0 && depth > 1 : true;
}
