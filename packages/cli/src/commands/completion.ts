import { UsageError } from '../base/exit-codes.js';
import { refuseFurther } from '../command-line/args.js';
import { commandList } from '../command-line/command-list.js';
import { commonFlags, type Flag, promptFlags } from '../command-line/flags.js';

const shells = ['bash', 'zsh', 'fish', 'powershell'];

/** `completion SHELL` prints the script to source; the script asks `completion -- WORDS` while one types. */
export async function run(args: string[]): Promise<number> {
  const [shell, ...words] = args;
  if (shell === '--help' || shell === '-h') {
    process.stdout.write(
      `Usage\n  toolwright completion ${shells.join('|')}\n\nFor bash, add to ~/.bashrc:  source <(toolwright completion bash)\n`,
    );
    return 0;
  }
  const { default: tab } = await import('@bomb.sh/tab');
  for (const flag of [...promptFlags, ...commonFlags]) addOption(tab, flag);
  for (const { name, help, subcommands } of commandList) {
    const command = tab.command(name, help);
    if (subcommands) command.argument('action', (complete) => offer(subcommands, complete));
    for (const flag of commonFlags) addOption(command, flag);
  }
  if (shell === '--') {
    tab.parse(words);
    return 0;
  }
  if (shell === undefined || !shells.includes(shell)) {
    throw new UsageError(
      `toolwright completion needs one of ${shells.join(', ')}. For bash: source <(toolwright completion bash)`,
    );
  }
  refuseFurther(words, `completion ${shell}`);
  const script = printedBy(() => tab.setup('toolwright', 'toolwright', shell));
  process.stdout.write(shell === 'bash' ? forAnyBash(script) : script);
  return 0;
}

/** The library prints and gives nothing back. */
function printedBy(work: () => void): string {
  const { log } = console;
  let printed = '';
  console.log = (text: string) => {
    printed += `${text}\n`;
  };
  try {
    work();
  } finally {
    console.log = log;
  }
  return printed;
}

/**
 * The script names its constants like those of other programs and forbids to set them again, so that sourcing it twice
 * fails; and it needs a function of a package that is not everywhere.
 */
function forAnyBash(script: string): string {
  const splitting = '_get_comp_words_by_ref -n "=:" cur prev words cword';
  return script
    .replace(/^readonly (?=ShellCompDirective)/gm, '')
    .replaceAll('ShellCompDirective', '__toolwright_directive')
    .replace(
      splitting,
      `if declare -F _get_comp_words_by_ref > /dev/null; then
        ${splitting}
    else
        words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD cur=\${COMP_WORDS[COMP_CWORD]}
    fi`,
    );
}

type Complete = (word: string, description: string) => void;

function offer(words: readonly string[], complete: Complete): void {
  for (const word of words) complete(word, '');
}

interface TakesOptions {
  option(name: string, description: string, ...more: never[]): unknown;
}

function addOption(target: TakesOptions, { name, short, value, choices, help }: Flag): void {
  const complete = (add: Complete): void => offer(choices ?? [], add);
  const more = value ? [complete, ...(short ? [short] : [])] : short ? [short] : [];
  target.option(name, help, ...(more as never[]));
}
