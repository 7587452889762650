import { dirname } from 'node:path';
import { plural } from '@toolwright/machine/base/amounts.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { foreignName, foreignSentence } from '@toolwright/machine/base/sentences/foreign-text.js';
import type { DroppedWrites } from '@toolwright/machine/host/sandbox/home/written-in.js';
import { pathFromHome } from '@toolwright/machine/host/workspace.js';

/** From so many files of one folder on, the folder is proposed instead of the files. */
const MANY = 3;

/** Sentences about writes to places that do not last; the model learns how to keep them the next time. */
export function droppedSentences(
  dropped: DroppedWrites,
  home: string,
  reader: 'model' | 'user' = 'model',
): string[] {
  const kept = dropped.kept.map((path) => shownInHome(path, home)).join(', ');
  return [
    ...(kept === '' ? [] : [`changed outside the workspace, which can't be undone: ${kept}`]),
    ...dropped.problems,
    ...[homeSentence(dropped, home, reader), temporarySentence(dropped)].filter((each) => each !== null),
  ];
}

function homeSentence(
  { paths, more, caches }: DroppedWrites,
  home: string,
  reader: 'model' | 'user',
): string | null {
  if (paths.length === 0) return null;
  const others = [
    ...(more > 0 ? [`${more} more`] : []),
    ...(caches > 0 ? [`${plural(caches, 'file')} of caches`] : []),
  ];
  const named = paths.map((path) => shownInHome(path, home)).join(', ');
  const rest = others.length > 0 ? ` (and ${others.join(', ')})` : '';
  const what = `written outside the workspace and dropped: ${named}${rest}`;
  if (reader === 'user') return `${what}. The model is told how to ask for it`;
  const outside = JSON.stringify({ write: toKeep(paths, home).map((path) => pathFromHome(path, home)) });
  return `${what}. To keep it, call again with outside: ${foreignSentence(outside, outside.length)}; the user is asked`;
}

function toKeep(paths: readonly string[], home: string): string[] {
  const folders = paths.map((path) => dirname(path));
  const isMany = (folder: string): boolean =>
    folder !== home && folders.filter((other) => other === folder).length >= MANY;
  return [...new Set(paths.map((path, index) => (isMany(folders[index]!) ? `${folders[index]!}/` : path)))];
}

const MOST_NAMED = 5;

function temporarySentence({ temporary }: DroppedWrites): string | null {
  if (temporary.length === 0) return null;
  const more = temporary.length > MOST_NAMED ? ` and ${temporary.length - MOST_NAMED} more` : '';
  return `written to a /tmp that only commands of this session see and that goes with it: ${temporary.slice(0, MOST_NAMED).map(foreignName).join(', ')}${more}`;
}

/** The path as it stands in a sentence. */
function shownInHome(path: string, home: string): string {
  return foreignName(pathFromHome(path, home));
}

/** Warnings in the question, one for each thing outside that a command is to reach. */
export function outsideWarnings(effects: readonly Effect[], home: string): string[] {
  return effects.filter((effect) => effect.kind === 'outside').map((effect) => outsideWarning(effect, home));
}

function outsideWarning(effect: Effect & { kind: 'outside' }, home: string): string {
  const note = effect.note === undefined ? '' : ` (${effect.note})`;
  switch (effect.access) {
    case 'read':
      return `Outside the workspace it may read ${shownInHome(effect.path, home)}${note}.`;
    case 'write':
      return `Outside the workspace it may write ${shownInHome(effect.path, home)}${note}. That can't be undone.`;
    case 'ssh-agent':
      return 'It may use your ssh agent: while it runs it can sign in as you wherever your keys are accepted.';
    case 'host':
      return `It may reach ${effect.host}${/:\d+$/.test(effect.host) ? '' : ' on ports 22, 80 and 443'}${note}.`;
  }
}
