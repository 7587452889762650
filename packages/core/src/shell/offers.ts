import type { CommandWords } from '../base/effect.js';
import type { ProgramModel } from './models/model.js';

/** Leading words for a rule that covers this command and its like; null where no such rule would be wise. */
export function offerFor(words: CommandWords, model: ProgramModel | undefined): readonly string[] | null {
  const end = words.indexOf(null);
  const known = (end === -1 ? words : words.slice(0, end)) as readonly string[];
  const count = countFor(known, model);
  return count > 0 && count <= known.length ? known.slice(0, count) : null;
}

function countFor(words: readonly string[], model: ProgramModel | undefined): number {
  if (typeof model?.offer === 'function') return model.offer(words);
  if (model?.offer !== undefined) return model.offer;
  // An unknown program: with its sub-command, where the next word looks like one.
  return model === undefined && /^[a-z][a-z0-9:-]*$/.test(words[1] ?? '') ? 2 : 1;
}
