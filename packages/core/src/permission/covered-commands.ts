import type { CommandWords, Effect } from '@toolwright/machine/base/effect.js';
import { isInside } from '@toolwright/machine/host/workspace.js';
import { isCovered, type Rule } from './rules.js';

type Execute = Effect & { kind: 'execute' };

/** Commands that a rule would have to cover; null where one can't be read. */
export function commandsIn(effects: readonly Effect[] = []): readonly CommandWords[] | null {
  const all: CommandWords[] = [];
  for (const effect of effects) {
    if (effect.kind !== 'execute') continue;
    if (effect.commands === null) return null;
    all.push(...(effect.unproven ?? effect.commands));
  }
  return all;
}

/** The rules that cover every one of these commands between them; none when one is left over. */
export function rulesCovering(allowing: readonly Rule[], commands: readonly Execute[]): readonly Rule[] {
  const covered = commands.map((command) => rulesCoveringOne(allowing, command));
  return covered.every(({ length }) => length > 0) ? [...new Set(covered.flat())] : [];
}

/** The Shell rules that cover every simple command of a command line between them; none when one is left over. */
function rulesCoveringOne(rules: readonly Rule[], effect: Execute): Rule[] {
  const found = new Set<Rule>();
  const isAll = isCovered(effect, (words, beyond) => {
    const needed = [
      rules.find(({ covers }) => covers?.(words, beyond)),
      ...(beyond?.folders ?? []).map((folder) => rules.find(({ opensFolder }) => opensFolder?.(folder))),
    ];
    for (const rule of needed) if (rule) found.add(rule);
    return needed.every((rule) => rule !== undefined);
  });
  return isAll ? [...found] : [];
}

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
