import type { Effect } from '@toolwright/machine/base/effect.js';
import { isInside } from '@toolwright/machine/host/workspace.js';

type Execute = Effect & { kind: 'execute' };

/**
 * The commands of a call that reaches outside, with what Shell rules must cover of each before a rule about the outside
 * counts: what is not proven harmless, and all of it where the line itself reads or writes the very place (a harmless part
 * may, `echo x > FILE`) or there is no other part.
 */
export function commandsOutside(effects: readonly Effect[]): Execute[] {
  const places = effects.flatMap((effect) =>
    effect.kind === 'outside' && 'path' in effect ? [effect.path] : [],
  );
  const namesOne = effects.some(
    (effect) =>
      (effect.kind === 'read' || effect.kind === 'write' || effect.kind === 'delete') &&
      places.some((place) => isInside(effect.path, place) || isInside(place, effect.path)),
  );
  return effects
    .filter((effect) => effect.kind === 'execute')
    .map((command) => {
      const isAll = namesOne || command.unproven?.length === 0;
      return isAll && command.commands ? { ...command, unproven: command.commands } : command;
    });
}
