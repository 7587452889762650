import type { Effect } from '@toolwright/machine/base/effect.js';
import { type ChangeSet, effectsOf } from '@toolwright/machine/changes/change-set.js';
import type { PathWarning } from '@toolwright/machine/changes/staged-run/staged-run.js';

interface ChangeMarks {
  /** See `CommandPlan`. */
  ignored?: ReadonlySet<string>;
  flags?: readonly PathWarning[];
}

/** The effects of a change set that a staged run found. */
export function changesOf(changeSet: ChangeSet, { ignored, flags = [] }: ChangeMarks = {}): Effect[] {
  const leaving = new Set(flags.filter(({ leaves }) => leaves).map(({ path }) => path));
  return effectsOf(changeSet).map((effect) => {
    if (effect.kind === 'write')
      return {
        ...effect,
        staged: true,
        ignored: ignored?.has(effect.path) ? true : undefined,
        leaves: leaving.has(effect.path) ? true : undefined,
      };
    return effect.kind === 'delete' ? { ...effect, staged: true } : effect;
  });
}

/** The change set with these paths alone. */
export function onlyPaths(changeSet: ChangeSet, paths: ReadonlySet<string>): ChangeSet {
  const all = [...changeSet.changes, ...changeSet.directories, ...changeSet.removedDirectories];
  return withoutPaths(changeSet, new Set(all.map(({ path }) => path).filter((path) => !paths.has(path))));
}

export function withoutPaths(changeSet: ChangeSet, paths: ReadonlySet<string>): ChangeSet {
  const isLeft = ({ path }: { path: string }): boolean => !paths.has(path);
  return {
    ...changeSet,
    changes: changeSet.changes.filter(isLeft),
    directories: changeSet.directories.filter(isLeft),
    removedDirectories: changeSet.removedDirectories.filter(isLeft),
  };
}
