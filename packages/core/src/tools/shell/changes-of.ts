import type { Effect } from '../../base/effect.js';
import { type ChangeSet, effectsOf } from '../../changes/change-set.js';

/** What a command would change, as it was found by running it apart. */
export function changesOf(changeSet: ChangeSet): Effect[] {
  return effectsOf(changeSet).map((effect) =>
    effect.kind === 'write' || effect.kind === 'delete' ? { ...effect, staged: true } : effect,
  );
}
