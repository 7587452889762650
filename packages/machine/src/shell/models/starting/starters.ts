import { sameFor } from '../../name-lists.js';
import { literalWord, type ShellWord, unknownWord } from '../../shell-word.js';
import type { ProgramModel, ProgramTable, Reporter } from '../model.js';

/** The most words to try as the start of a command. */
const MOST_BEGINNINGS = 24;

/**
 * Reports all that a program might start whose options are not followed: each word may begin a command, and one
 * with blanks, or with what a shell replaces, a command line. Rules that ask or deny look at all of these; no rule allows any.
 */
export function mayStartAny(words: readonly ShellWord[], report: Reporter): undefined {
  words.slice(0, MOST_BEGINNINGS).forEach((word, index) => {
    const isLiteral = word.kind === 'literal';
    if (isLiteral && /[\s$`]/.test(word.text)) for (const text of linesIn(word.text)) report.mayRun(text);
    if (!(isLiteral && /\s/.test(word.text)) && !word.prefix.startsWith('-'))
      report.mayStart(words.slice(index));
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

/** Options of shells that take the next word; letters among others (`-eo pipefail`), `+` like `-`. */
const takesValue = /^[-+]\w*[oO]$|^--(rcfile|init-file|emulate)$/;
/** Options of `fish` whose text runs first. */
const runsFirst = /^(?:-C|--init-command)$/;
const fishValue = /^(?:-[dDfo]|--(?:debug|debug-output|features|profile|profile-startup))$/;
const runsAttached = /^--(?:command|init-command)=(.*)$/s;
const runsText = /^-\w*c\w*$|^--command$/;

/**
 * Judges a shell: `-c`, wherever it stands among the options, makes the first operand a script; else the first
 * operand is a file; without one it reads from standard input.
 */
function examineShell(words: readonly ShellWord[], report: Reporter): undefined {
  const isFish = report.who === '`fish`';
  if (words.length === 1 && words[0]!.text === '--version') return;
  let isText = false;
  let at = 0;
  for (; at < words.length; at++) {
    const { kind, text } = words[at]!;
    if (kind !== 'literal') return report.unknownProgram(`${report.who} has a word known only when it runs`);
    const attached = runsAttached.exec(text)?.[1];
    if (attached !== undefined) report.runScript(literalWord(attached));
    if (/^--(rcfile|init-file)/.test(text)) report.unknownProgram(`${report.who} runs a start-up file`);
    if (text === '--' || text === '-') {
      at++;
      break;
    }
    if (!/^[-+]./.test(text)) break;
    if (runsText.test(text)) isText = true;
    if (isFish && runsFirst.test(text)) report.runScript(words[++at] ?? unknownWord);
    else if ((isFish ? fishValue : takesValue).test(text)) at++;
  }
  const operand = words[at];
  if (isText) report.runScript(operand ?? unknownWord);
  else if (operand === undefined || words[at - 1]?.text === '-')
    report.unknownProgram(`${report.who} runs what it reads`);
  else if (operand.kind !== 'literal')
    report.unknownProgram(`${report.who} runs a script known only when it runs`);
  else report.doubt(`${report.who} runs the script ${operand.text}`);
}

/** A rule for a shell names its script too. */
function scriptOffer(words: readonly string[]): number {
  return words[1] !== undefined && !/^[-+]/.test(words[1]) ? 2 : 0;
}

export const shells: ProgramTable = sameFor(
  'bash sh dash zsh ksh fish rbash ash mksh lksh oksh loksh pdksh ksh93 rksh rzsh yash posh osh csh tcsh xonsh nu elvish pwsh powershell bash5 hush',
  { examine: examineShell, offer: scriptOffer },
);
