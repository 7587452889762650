import type { CommandEntry } from './findings.js';
import { isInterpreter, isRunner } from './models/interpreters.js';
import type { ProgramModel } from './models/model.js';
import { modelOf } from './models/programs.js';
import type { ShellWord } from './shell-word.js';

/** Leading words for a rule that covers this command and its like; null where no such rule would be wise. */
export function offerFor(
  { words, beyond }: Pick<CommandEntry, 'words' | 'beyond'>,
  model: ProgramModel | undefined,
): readonly string[] | null {
  const end = words.indexOf(null);
  const known = (end === -1 ? words : words.slice(0, end)) as readonly string[];
  const own = countFor(known, model);
  // The offered rule spells every word that names another program, file or place.
  const count = own > 0 ? Math.max(own, beyond?.spelled ?? 0) : 0;
  return count > 0 && count <= known.length ? known.slice(0, count) : null;
}

/** Index of the program that a runner starts (`uv run pytest`, `bundle exec rake`); 0 if none. */
export function startedAt(words: readonly ShellWord[], model: ProgramModel | undefined): number {
  const texts = words.map(({ kind, text }) => (kind === 'literal' ? text : ''));
  const isRunning = /^(run|run-script|exec|x|dlx)$/.test(texts[1] ?? '');
  const at = model ? (model.starts?.(texts) ?? 0) : isRunning ? 2 : 0;
  // Options of the runner stand between: `npx -y tsx`.
  const first = texts.findIndex((text, index) => index >= at && !text.startsWith('-'));
  return at > 0 && first !== -1 ? first : 0;
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
  // A rule for a program that runs any code would allow any code, so at most one script of it is offered.
  if (isInterpreter(name)) return /^[\w./][\w./-]*$/.test(next) ? 2 : 0;
  if (/^(run|run-script|exec|x|dlx)$/.test(next)) return throughRunner(words, 2);
  if (/^(eval|repl|shell|console|runner|foreach)$/.test(next)) return 0;
  // Two words make an offer where the second looks like a sub-command.
  if (/^[a-z][a-z0-9:-]*$/.test(next)) return 2;
  return isRunner(name) ? 0 : 1;
}

/** A started program is judged as if it stood alone: `uv run python` is no less than `python`. */
function throughRunner(words: readonly string[], at: number): number {
  const name = words[at];
  if (name === undefined || !/^[A-Za-z@][\w:.@/-]*$/.test(name)) return 0;
  const model = modelOf(name);
  const own = countFor(words.slice(at), model);
  if (own === 0) return 0;
  return model !== undefined || isInterpreter(name) ? at + own : at + 1;
}
