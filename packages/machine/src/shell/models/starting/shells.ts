import { sameFor } from '../../name-lists.js';
import { literalWord, type ShellWord, unknownWord } from '../../shell-word.js';
import type { ProgramTable, Reporter } from '../model.js';

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
