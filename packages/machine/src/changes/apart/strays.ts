import { compareTrees } from '../../host/staging/compare-trees.js';
import { hashEntry, readWhole, type TreeEntry } from '../../host/staging/tree-entry.js';
import type { View } from '../../host/staging/view.js';
import type { EntryState } from '../change-set.js';
import type { Bases } from './bases.js';

export interface StraysNeeds {
  view: View;
  bases: Bases;
  /** The moment the work began. */
  startedAtMs: number;
}

/**
 * Jobs and servers change files of the view without a change set. What such a file was before is what the workspace holds, as
 * long as nobody has touched it there since the work began: a program may have read it at any time.
 */
export async function noteStrays(needs: StraysNeeds, signal: AbortSignal): Promise<void> {
  const { view, bases, startedAtMs } = needs;
  for (const root of view.roots) {
    const { differences } = await compareTrees(root, { followsRenames: view.followsRenames, signal });
    for (const { path, before } of differences.filter((each) => bases.of(each.path) === undefined)) {
      if (before !== null && before.ctimeNs >= BigInt(startedAtMs) * 1_000_000n) continue;
      const state = await stateOf(before, signal);
      if (state !== null) await bases.note(path, state, () => readWhole(before!.at));
    }
  }
}

/** Null for what no change set describes. */
async function stateOf(entry: TreeEntry | null, signal: AbortSignal): Promise<EntryState | null> {
  if (entry === null) return { kind: 'absent' };
  const mode = entry.mode & 0o777;
  switch (entry.kind) {
    case 'file':
      return { kind: 'file', hash: await hashEntry(entry, signal), size: entry.size, mode };
    case 'directory':
      return { kind: 'directory', mode };
    case 'symlink':
      return entry.target ? { kind: 'symlink', target: entry.target } : null;
    default:
      return null;
  }
}
