import type { PastChange } from '@toolwright/core';
import { summarize, terminalSafe, terminalSafeLine } from '@toolwright/core/front-end';

const MOST_NAMES = 5;
const LONGEST_COMMAND = 100;

/** Changes as text to choose from, newest first: when and by what, the command that ran, the files. */
export function describeChanges(changes: readonly PastChange[], show: (path: string) => string): string {
  if (changes.length === 0) return 'No changes have been made in this workspace.';
  return changes
    .toReversed()
    .flatMap((change) => linesOf(change, show))
    .map(terminalSafe)
    .join('\n');
}

function linesOf(change: PastChange, show: (path: string) => string): string[] {
  const { changeSet, at, call, undoneBy } = change;
  const state = undoneBy ? ' (undone)' : '';
  const when = at.slice(0, 19).replace('T', ' ');
  return [
    `${changeSet.id}  ${when}  ${whoDid(change)}: ${summarize(changeSet)}${state}`,
    ...(call?.command === undefined ? [] : [`    $ ${oneLine(call.command)}`]),
    `    ${fewOf(namesOf(changeSet), show)}`,
    ...(call?.wroteOutside ? [`    ${staysOutside(call.wroteOutside)}`] : []),
  ];
}

function whoDid({ undoes, call, by }: PastChange): string {
  if (undoes !== undefined) return `undo of ${undoes}`;
  if (call?.isOwn) return 'your own command';
  return call?.tool ?? by ?? 'an interrupted call';
}

/** Files before folders: a folder is named by what is in it anyway. */
function namesOf({ changes, directories, removedDirectories }: PastChange['changeSet']): string[] {
  const files = changes.map(({ path }) => path);
  return files.length > 0 ? files : [...removedDirectories, ...directories].map(({ path }) => path);
}

function fewOf(paths: readonly string[], show: (path: string) => string): string {
  const names = paths.slice(0, MOST_NAMES).map((path) => show(path));
  const more = paths.length > MOST_NAMES ? ` and ${paths.length - MOST_NAMES} more` : '';
  return `${names.join(', ')}${more}`;
}

/** Names the places outside the workspace that the command wrote; an undo does not reach them. */
export function staysOutside(paths: readonly string[]): string {
  return `Can't be undone: what it wrote outside the workspace, in ${fewOf(paths, terminalSafeLine)}`;
}

function oneLine(command: string): string {
  const [first = '', ...rest] = command.trim().split('\n');
  const isCut = rest.length > 0 || first.length > LONGEST_COMMAND;
  return isCut ? `${first.slice(0, LONGEST_COMMAND)} …` : first;
}
