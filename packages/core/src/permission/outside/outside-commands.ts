import type { Effect } from '../../base/effect.js';
import { isInside } from '../../host/workspace.js';

type Execute = Effect & { kind: 'execute' };

/**
 * The commands of a call that reaches outside, with what Shell rules must cover of each before a rule about the outside
 * counts: what is not proven harmless, and all of it where a harmless part reads the very place or there is no other part.
 */
export function commandsOutside(effects: readonly Effect[]): Execute[] {
  const places = effects.flatMap((effect) =>
    effect.kind === 'outside' && 'path' in effect ? [effect.path] : [],
  );
  const readsOne = effects.some(
    (effect) =>
      effect.kind === 'read' &&
      places.some((place) => isInside(effect.path, place) || isInside(place, effect.path)),
  );
  return effects
    .filter((effect) => effect.kind === 'execute')
    .map((command) => {
      const isAll = readsOne || command.unproven?.length === 0;
      return isAll && command.commands ? { ...command, unproven: command.commands } : command;
    });
}
