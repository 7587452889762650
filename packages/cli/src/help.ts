import { commandList } from './command-list.js';
import { commonFlags, type Flag, promptFlags } from './flags.js';

export function helpText(): string {
  return `Toolwright: lets a language model work on this machine through tools.

Usage
  toolwright                            a conversation at the terminal
  toolwright -p "find TODO in src"      answer one prompt and exit
  echo "list ." | toolwright            the same, prompt from standard input
  toolwright COMMAND …                  see below

Commands
${table(commandList.map(({ usage, help }) => [usage, help]))}

Flags for a prompt
${flagTable(promptFlags)}

Flags for every command
${flagTable(commonFlags)}

Exit codes
  0 done   1 failure   2 usage   41 authentication   52 settings   53 turn limit
  54 something was refused only because nobody could be asked   130 cancelled
`;
}

export function printHelp(): void {
  process.stdout.write(helpText());
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
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`).join('\n');
}
