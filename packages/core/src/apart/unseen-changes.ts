import type { Effect } from '@toolwright/machine/base/effect.js';
import type { ReviewedWork } from '@toolwright/machine/changes/apart/work-apart.js';
import type { ChangeSet } from '@toolwright/machine/changes/change-set.js';
import { type Choice, neededPaths } from '@toolwright/machine/changes/review/choose.js';
import type { Conflict } from '@toolwright/machine/changes/review/merge-present.js';
import { flagsOf } from '@toolwright/machine/changes/staged-run/plan-differences.js';
import type { PathWarning } from '@toolwright/machine/changes/staged-run/staged-run.js';
import type { Host } from '@toolwright/machine/host/host.js';
import { warningAbout } from '@toolwright/machine/host/places/path-guard.js';
import type { Permission } from '../permission/permission.js';
import { changesOf } from '../tools/shell/changes-of.js';

export interface UnseenNeeds {
  permission: Permission;
  flags: readonly PathWarning[];
  /** Why a rule or a mode keeps a change from being kept unseen. */
  refusalOf(change: Effect): string | null;
}

/** Changes that are not kept unless somebody has looked at them, and why. */
export function refusedUnseen(
  changeSet: ChangeSet,
  { permission, flags, refusalOf }: UnseenNeeds,
): Conflict[] {
  return changesOf(changeSet, { flags }).flatMap((change) => {
    if (!('path' in change)) return [];
    const { path } = change;
    const why = warningAbout(path, permission) ?? refusalOf(change);
    return why === null ? [] : [{ path, why }];
  });
}

/** The same for chosen changes of a session apart. */
export function refusedUnseenOfWork(
  { planned }: Pick<ReviewedWork, 'planned'>,
  choice: Choice | 'all',
  { host, permission }: { host: Pick<Host, 'workspace'>; permission: Permission },
): Conflict[] {
  const { changeSet } = planned;
  const paths = choice === 'all' ? null : neededPaths(changeSet, new Set(choice.keys()));
  const refused = refusedUnseen(changeSet, {
    permission,
    flags: flagsOf(changeSet.changes, host.workspace),
    refusalOf: (change) => permission.refusalOfUnseenChange({ tool: 'apart', effects: [] }, change),
  });
  return paths === null ? refused : refused.filter(({ path }) => paths.has(path));
}
