import { columnsOf } from '../base/columns.js';
import { endWhenOutputFails, isTerminal, writeOutput } from '../base/standard-output.js';
import { commandList } from './command-list.js';
import { commonFlags, type Flag, promptFlags } from './flags.js';

export function helpText(): string {
  return `Toolwright: lets a language model work on this machine through tools.

Usage
  toolwright                            start a conversation in the terminal
  toolwright "explain this folder"      start it with a prompt
  toolwright -p "find TODO in src"      answer one prompt and exit
  echo "list ." | toolwright            the same, with the prompt from standard input
  toolwright COMMAND …                  see below

Commands
${table(commandList.map(({ usage, help }) => [usage, help]))}

Flags for a prompt
${flagTable(promptFlags)}

Flags for every command
${flagTable(commonFlags)}

Exit codes
  0 done   1 failure   2 usage   41 authentication   52 settings   53 a limit was reached
  54 a call was refused only because nobody could be asked   55 a question waits   130 cancelled
`;
}

export function printHelp(): void {
  endWhenOutputFails();
  writeOutput(helpText());
}

export function flagTable(flags: readonly Flag[]): string {
  return table(flags.map((flag) => [flagUsage(flag), flagHelp(flag)]));
}

function flagUsage({ name, short, value, optional }: Flag): string {
  return `${short ? `-${short}, ` : '    '}--${name}${value ? ` ${optional ? `[${value}]` : value}` : ''}`;
}

function flagHelp({ help, choices }: Flag): string {
  return choices ? `${help} [${choices.join(', ')}]` : help;
}

function table(rows: [string, string][]): string {
  const width = Math.max(...rows.map(([left]) => left.length)) + 4;
  return rows
    .map(([left, right]) => `  ${left}`.padEnd(width) + wrapped(right, width, screenColumns()))
    .join('\n');
}

const NARROWEST = 20;

/** Width of the terminal; output into a pipe or a file is never wrapped. */
export function screenColumns(): number {
  return isTerminal(1) ? columnsOf(process.stdout) : Number.POSITIVE_INFINITY;
}

/** Text that begins at a column and goes on under it, so that no word is cut in two. */
export function wrapped(text: string, column: number, columns: number): string {
  const room = Math.max(NARROWEST, columns - column);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${' '.repeat(column)}`);
}
