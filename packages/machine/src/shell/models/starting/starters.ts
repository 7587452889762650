import { sameFor } from '../../name-lists.js';
import type { ShellWord } from '../../shell-word.js';
import type { ProgramModel, ProgramTable, Reporter } from '../model.js';

/** The most words to try as the start of a command. */
const MOST_BEGINNINGS = 24;

/**
 * Reports all that a program might start whose options are not followed: each word may begin a command, and one
 * with blanks a command line. Rules that ask or deny look at all of these; no rule allows any.
 */
export function mayStartAny(words: readonly ShellWord[], report: Reporter): undefined {
  words.slice(0, MOST_BEGINNINGS).forEach((word, index) => {
    if (word.kind === 'literal' && /\s/.test(word.text)) {
      for (const text of linesIn(word.text)) report.mayRun(text);
    } else if (!word.prefix.startsWith('-')) report.mayStart(words.slice(index));
  });
}

/** The command lines that a word may hold, alone or joined to an option: `--command=a b`, `-vSa b`. */
function linesIn(text: string): string[] {
  if (!text.startsWith('-')) return [text];
  if (text.startsWith('--')) return [text.slice(text.indexOf('=') + 1)];
  return [2, 3, 4].map((letters) => text.slice(letters));
}

/** The model of a program that starts others in ways that are not followed. */
function opaque(reason: string): ProgramModel {
  return {
    offer: 0,
    examine: (words, report) => {
      report.unknownProgram(`${report.who} ${reason}`);
      mayStartAny(words, report);
      return undefined;
    },
  };
}

/** A program that is known only for starting others. */
export const starter: ProgramModel = opaque('starts a program');

export const starters: ProgramTable = {
  ...sameFor(
    'script strace ltrace gdb flock chroot unshare nsenter setpriv systemd-run',
    opaque('runs a program'),
  ),
  ...sameFor('parallel expect systemd', opaque('runs programs')),
  ...sameFor('watch entr', opaque('runs a program again and again')),
  ...sameFor('su runuser', opaque('runs a program as another user')),
  ...sameFor('busybox toybox', opaque('may be any program')),
  ...sameFor('screen tmux', opaque('runs programs that outlive the command')),
  ...sameFor('at batch crontab', opaque('runs programs later')),
};
