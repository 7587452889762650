import { commandList } from '../command-list.js';
import { UsageError } from '../exit-codes.js';
import { commonFlags, type Flag, promptFlags } from '../flags.js';

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
  tab.setup('toolwright', 'toolwright', shell);
  return 0;
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
