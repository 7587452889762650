import type { KeptWork } from '@toolwright/machine/changes/apart/work-apart.js';
import { summarize } from '@toolwright/machine/changes/change-set.js';

export interface KeptWords {
  /** Files that hold both changes now, a sentence each. */
  merged: string[];
  /** Changes that were not kept and why, a sentence each. */
  leftOut: string[];
  /** What was kept: `1 file changed`. Null when nothing was. */
  summary: string | null;
}

/** The words of every front end for what came of keeping changes. */
export function keptWords(
  { merged, conflicts, changeSet }: KeptWork,
  show: (path: string) => string,
): KeptWords {
  return {
    merged: merged.map((path) => `${show(path)} was changed meanwhile; both changes are in it now.`),
    leftOut: conflicts.map(({ path, why }) => `Left out: ${show(path)}: ${why}`),
    summary: changeSet && summarize(changeSet),
  };
}

export const NOTHING_KEPT = 'Nothing was kept.';
