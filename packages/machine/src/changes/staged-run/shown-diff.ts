import type { FileDiff } from '../../base/content.js';
import { foreignName } from '../../base/sentences/foreign-text.js';
import { readWhole } from '../../host/staging/read-entry.js';
import type { TreeEntry } from '../../host/staging/tree-entry.js';
import type { FileChange } from '../change-set.js';
import { diffOfChanges, type ReadVersion } from '../plan.js';

const LARGEST_FILE = 1024 * 1024;
const MOST_BYTES = 16 * 1024 * 1024;

export interface ShownDiff {
  diff: FileDiff;
  /** The replaced versions that were read for it, by path. */
  before: Map<string, Uint8Array>;
}

export interface ShownDiffOptions {
  contents: ReadonlyMap<string, TreeEntry>;
  replaced: ReadonlyMap<string, TreeEntry>;
  show(path: string): string;
  isHidden?(path: string): boolean;
}

/** Names every change, and shows the text of as many as a user could look at. */
export async function showChanges(
  changes: readonly FileChange[],
  { contents, replaced, show, isHidden }: ShownDiffOptions,
): Promise<ShownDiff> {
  const before: ShownDiff['before'] = new Map();
  const withheld = new Map<string, string>();
  let read = 0;
  const reasonToWithhold = (path: string, size: number): string | null => {
    if (isHidden?.(path)) return 'Its content is not shown: a rule keeps it back.';
    const isTooMuch = size <= LARGEST_FILE && read + size > MOST_BYTES;
    return isTooMuch ? 'Its content is not shown: the others are long enough already.' : null;
  };
  const reader =
    (entries: ReadonlyMap<string, TreeEntry>, seen?: typeof before): ReadVersion =>
    async ({ hash, size }, path) => {
      const entry = entries.get(hash);
      const reason = reasonToWithhold(path, size);
      if (reason !== null) withheld.set(foreignName(show(path)), reason);
      if (!entry || size > LARGEST_FILE || reason !== null) return null;
      read += size;
      const bytes = await readWhole(entry.at);
      seen?.set(path, bytes);
      return bytes;
    };
  const byPath = changes.toSorted((left, right) => (left.path < right.path ? -1 : 1));
  const diff = await diffOfChanges(byPath, {
    show,
    before: reader(replaced, before),
    after: reader(contents),
  });
  const files = diff.files.map((file) => ({ ...file, unified: withheld.get(file.path) ?? file.unified }));
  return { diff: { ...diff, files }, before };
}
