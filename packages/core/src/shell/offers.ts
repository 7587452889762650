import type { CommandWords } from '../base/effect.js';
import { isInterpreter, isRunner, isStarter } from './models/interpreters.js';
import type { ProgramModel } from './models/model.js';
import { modelOf } from './models/programs.js';

/** Leading words for a rule that covers this command and its like; null where no such rule would be wise. */
export function offerFor(words: CommandWords, model: ProgramModel | undefined): readonly string[] | null {
  const end = words.indexOf(null);
  const known = (end === -1 ? words : words.slice(0, end)) as readonly string[];
  const count = countFor(known, model);
  return count > 0 && count <= known.length ? known.slice(0, count) : null;
}

function countFor(words: readonly string[], model: ProgramModel | undefined): number {
  const at = model?.starts?.(words) ?? 0;
  if (at > 0) return throughRunner(words, at);
  if (typeof model?.offer === 'function') return model.offer(words);
  if (model?.offer !== undefined) return model.offer;
  if (model !== undefined) return 1;
  return countForUnknown(words);
}

function countForUnknown(words: readonly string[]): number {
  const [name, next = ''] = words;
  // What runs any code or any program would run anything under its rule: a script of its own at most.
  if (isStarter(name)) return 0;
  if (isInterpreter(name)) return /^[\w./][\w./-]*$/.test(next) ? 2 : 0;
  if (/^(run|run-script|exec|x|dlx)$/.test(next)) return throughRunner(words, 2);
  if (/^(eval|repl|shell|console|runner|foreach)$/.test(next)) return 0;
  // With its sub-command, where the next word looks like one.
  if (/^[a-z][a-z0-9:-]*$/.test(next)) return 2;
  return isRunner(name) ? 0 : 1;
}

/** What it starts is judged as if it stood alone: `uv run python` is no less than `python`. */
function throughRunner(words: readonly string[], at: number): number {
  const name = words[at];
  if (name === undefined || !/^[A-Za-z@][\w:.@/-]*$/.test(name)) return 0;
  const model = modelOf(name);
  const own = countFor(words.slice(at), model);
  if (own === 0) return 0;
  return model !== undefined || isInterpreter(name) ? at + own : at + 1;
}
