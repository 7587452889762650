import type { CapturedOutput, Ended } from '../../host/processes/processes.js';

/** What running apart can do to a command, told from what the command said. */
const signs: readonly { pattern: RegExp; note: string; unless?: 'followsRenames' }[] = [
  {
    pattern: /\bEXDEV\b|cross-device link/i,
    unless: 'followsRenames',
    note: 'The command met EXDEV: while a command runs apart, a folder that was there before can not be renamed in one step; programs that fall back to copying (mv does) are not affected. Copy the folder and remove the old one instead (cp -a old new && rm -rf old).',
  },
  {
    pattern: /\bEOVERFLOW\b|value too large for defined data type/i,
    note: 'The command met EOVERFLOW: while a command runs apart, files that belong to another user or group can not be changed. Change their owner, or let the person run the command.',
  },
  {
    pattern: /\bENOSPC\b|no space left on device/i,
    note: 'The command met a full disk. While a command runs apart, its changes need room in the state folder, and changing a large file takes a copy of all of it. Nothing in the workspace was lost.',
  },
];

export function notesOn(ended: Ended, overlay: { followsRenames: boolean }): string[] {
  const said = [ended.stdout, ended.stderr].map(textOf).join('\n');
  return signs
    .filter(({ unless }) => !(unless && overlay[unless]))
    .filter(({ pattern }) => pattern.test(said))
    .map(({ note }) => note);
}

function textOf({ head, tail }: CapturedOutput): string {
  return `${head}\n${tail}`;
}
