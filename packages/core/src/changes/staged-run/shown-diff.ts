import type { FileDiff } from '../../base/content.js';
import { readWhole } from '../../host/staging/read-entry.js';
import type { TreeEntry } from '../../host/staging/tree-entry.js';
import type { FileChange } from '../change-set.js';
import { diffOfChanges, type ReadVersion } from '../diff-of-changes.js';

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

/** Names every change, and shows the text of as many as a person could look at. */
export async function showChanges(
  changes: readonly FileChange[],
  { contents, replaced, show, isHidden }: ShownDiffOptions,
): Promise<ShownDiff> {
  const before: ShownDiff['before'] = new Map();
  let read = 0;
  const reader =
    (entries: ReadonlyMap<string, TreeEntry>, seen?: typeof before): ReadVersion =>
    async ({ hash, size }, path) => {
      const entry = entries.get(hash);
      if (!entry || size > LARGEST_FILE || read + size > MOST_BYTES || isHidden?.(path)) return null;
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
  return { diff, before };
}
