import type { Effect } from '@toolwright/machine/base/effect.js';
import type { Files } from '@toolwright/machine/host/files/files.js';
import type { ConfirmationDetails } from '../tools.js';

/**
 * Effects of a reading call once links are followed, for rules that name the file behind a link.
 * False when no link is on the way: then it reads what it said it would.
 */
export async function readsBehindLinks(
  files: Pick<Files, 'realPath'>,
  title: string,
  declared: readonly Effect[],
): Promise<ConfirmationDetails | false> {
  const effects: Effect[] = [];
  for (const effect of declared) {
    if (effect.kind !== 'read') continue;
    // A path that can't be followed is refused when it is used.
    const path = await files.realPath(effect.path).catch(() => effect.path);
    if (path !== effect.path) effects.push({ kind: 'read', path });
  }
  return (
    effects.length > 0 && { kind: 'info', title, prompt: `${title}?`, urls: [], effects, byEffects: true }
  );
}
