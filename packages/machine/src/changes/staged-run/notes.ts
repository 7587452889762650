import type { Ended } from '../../host/processes/processes.js';

/**
 * Known effects of staging on a command, recognised by the command's output. Words begin with a rare letter, which makes
 * the search through megabytes fast.
 */
const signs: readonly { words: readonly string[]; note: string; unless?: 'followsRenames' }[] = [
  {
    words: ['EXDEV', '-device link'],
    unless: 'followsRenames',
    note: 'The command met EXDEV: while a command runs on a copy, a folder that was there before can not be renamed in one step; programs that fall back to copying (mv does) are not affected. Copy the folder and remove the old one instead (cp -a old new && rm -rf old).',
  },
  {
    words: ['EOVERFLOW', 'Value too large for defined data type', 'value too large for defined data type'],
    note: 'The command met EOVERFLOW: while a command runs on a copy, files that belong to another user or group can not be changed. Change their owner, or let the user run the command.',
  },
  {
    words: ['ENOSPC', 'pace left on device'],
    note: 'The command met a full disk. While a command runs on a copy, its changes need room in the state folder, and changing a large file takes a copy of all of it. Nothing in the workspace was lost.',
  },
];

export function notesOn(ended: Ended, overlay: { followsRenames: boolean }): string[] {
  const said = [ended.stdout, ended.stderr].flatMap(({ head, tail }) => [head, tail]);
  return signs
    .filter(({ unless }) => !(unless && overlay[unless]))
    .filter(({ words }) => said.some((text) => words.some((word) => text.includes(word))))
    .map(({ note }) => note);
}
