import { type CopyMarks, markOf } from './copy-trees.js';
import type { OverlayRoot } from './overlay.js';
import {
  asText,
  type BytePath,
  bytePath,
  entryAt,
  inside,
  namesAt,
  readable,
  type TreeDifferences,
  type TreeEntry,
} from './tree-entry.js';

/** A root that stands as a plain copy. */
export type CopiedRoot = Pick<OverlayRoot, 'lower' | 'below' | 'merged'> & { marks: CopyMarks };

/** The entries of a copy that were touched since it was made, against what the original is by now. */
export async function compareCopy(root: CopiedRoot, pace: () => Promise<void>): Promise<TreeDifferences> {
  const found: TreeDifferences = { differences: [], unusable: [] };
  const original = lookInto(bytePath(root.below));
  const report = (key: string, after: TreeEntry | null): void => {
    const name = Buffer.from(key, 'latin1');
    const text = asText(name);
    const path = `${root.lower}/${text ?? readable(name)}`;
    const before = original(key);
    if (text === null) found.unusable.push({ path, why: NOT_UTF8 });
    else if (before || after) found.differences.push({ path, before, after });
  };
  const seen = new Set<string>();
  const closed: string[] = [];
  for await (const { key, entry, isTouched, isClosed } of entriesOf(root, pace)) {
    seen.add(key);
    if (isTouched) report(key, entry);
    if (isClosed) closed.push(`${key}/`);
  }
  for (const key of root.marks.keys())
    if (!seen.has(key) && !closed.some((folder) => key.startsWith(folder))) report(key, null);
  for (const key of closed) found.unusable.push({ path: `${root.lower}/${key.slice(0, -1)}`, why: CLOSED });
  return found;
}

/** Entries of a tree by their keys. What lies behind a link or below a file is not part of the tree. */
function lookInto(top: BytePath): (key: string) => TreeEntry | null {
  const folders = new Map<string, boolean>();
  const isFolder = (key: string): boolean => {
    const known = folders.get(key) ?? entryOf(key)?.kind === 'directory';
    folders.set(key, known);
    return known;
  };
  const entryOf = (key: string): TreeEntry | null => {
    const cut = key.lastIndexOf('/');
    if (cut !== -1 && !isFolder(key.slice(0, cut))) return null;
    return entryAt(inside(top, Buffer.from(key, 'latin1')));
  };
  return entryOf;
}

const NOT_UTF8 = 'its name is not UTF-8, so it was left as it was';
const CLOSED = 'the folder may not be read, so what happened inside was left out';

interface CopiedEntry {
  /** The path below the root, as in marks. */
  key: string;
  entry: TreeEntry;
  isTouched: boolean;
  /** A folder that may not be read. */
  isClosed: boolean;
}

interface CopiedNames {
  at: BytePath;
  below: string;
  names: ReadonlyMap<string, BytePath>;
}

/** Folders before what is in them. */
async function* entriesOf(
  { merged, marks }: Pick<CopiedRoot, 'merged' | 'marks'>,
  pace: () => Promise<void>,
): AsyncIterable<CopiedEntry> {
  const top = bytePath(merged);
  const folders: CopiedNames[] = [{ at: top, below: '', names: namesAt(top) ?? new Map() }];
  for (let folder = folders.shift(); folder; folder = folders.shift()) {
    for (const [key, name] of folder.names) {
      await pace();
      const entry = entryAt(inside(folder.at, name));
      if (entry === null) continue;
      const below = folder.below === '' ? key : `${folder.below}/${key}`;
      const names = entry.kind === 'directory' ? namesAt(entry.at) : undefined;
      yield { key: below, entry, isTouched: marks.get(below) !== markOf(entry), isClosed: names === null };
      if (names) folders.push({ at: entry.at, below, names });
    }
  }
}

/** Counts the entries of a copy that were touched, added or removed. */
export async function countTouched(copy: Pick<CopiedRoot, 'merged' | 'marks'>): Promise<number> {
  let [touched, known] = [0, 0];
  for await (const { key, isTouched } of entriesOf(copy, async () => undefined)) {
    if (isTouched) touched += 1;
    if (copy.marks.has(key)) known += 1;
  }
  return touched + copy.marks.size - known;
}
