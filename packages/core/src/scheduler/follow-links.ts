import type { Effect } from '@toolwright/machine/base/effect.js';

/**
 * Adds the files behind links to the declared effects, for every tool alike: a rule about a file, and the list of
 * secret places, are about the call that reaches the file by a link, too.
 */
export async function followLinks(
  declared: readonly Effect[],
  realPath: (path: string) => Promise<string>,
): Promise<Effect[]> {
  // The paths of a command line are followed where the line is read, and may lie outside.
  if (declared.some(({ kind }) => kind === 'execute')) return [...declared];
  const effects: Effect[] = [];
  for (const effect of declared) {
    effects.push(effect);
    if (effect.kind !== 'read' && effect.kind !== 'write' && effect.kind !== 'delete') continue;
    const path = await realPath(effect.path);
    if (path !== effect.path) effects.push({ ...effect, path });
  }
  return effects;
}
