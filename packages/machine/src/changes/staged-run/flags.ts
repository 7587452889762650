import { dirname } from 'node:path';
import { foreignText } from '../../base/sentences/foreign-text.js';
import { afterLinks, isInside, type Workspace } from '../../host/workspace.js';
import { follow } from '../../shell/paths.js';
import { Unreadable } from '../../shell/unreadable.js';
import { type FileChange, stateAfter, stateBefore } from '../change-set.js';
import type { Flag } from './staged-run.js';

const MAY_RUN = 0o111;

export interface FlagOptions {
  roots: Workspace['roots'];
  flagOf?(path: string): string | null;
}

/** Changes that deserve a second look before a change set is kept. */
export function flagsOf(changes: readonly FileChange[], { roots, flagOf }: FlagOptions): Flag[] {
  return changes.flatMap((change) => {
    const { path } = change;
    const reasons = [flagOf?.(path) ?? null, runReason(change)];
    const leaves = linkReason(change, roots);
    return [
      ...reasons.flatMap((why) => (why === null ? [] : [{ path, why }])),
      ...(leaves === null ? [] : [{ path, why: leaves, leaves: true as const }]),
    ];
  });
}

function linkReason(change: FileChange, roots: Workspace['roots']): string | null {
  if (change.kind !== 'symlink') return null;
  const leadsTo = targetOf(change);
  if (leadsTo === null) return 'a link that may leave the workspace: it names more folders than are followed';
  return roots.some(({ path }) => isInside(leadsTo, path))
    ? null
    : `a link that leaves the workspace, to ${foreignText(leadsTo)}`;
}

/** The target of a link; null where it has too many folders to be followed. */
function targetOf({ path, target }: FileChange & { kind: 'symlink' }): string | null {
  try {
    return follow(dirname(path), target, { realPath: afterLinks });
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

function runReason(change: FileChange): string | null {
  const [before, after] = [stateBefore(change), stateAfter(change)];
  if (after.kind !== 'file' || ((after.mode ?? 0) & MAY_RUN) === 0) return null;
  const couldRun = before.kind === 'file' && ((before.mode ?? 0) & MAY_RUN) !== 0;
  return couldRun ? null : 'a new executable';
}
