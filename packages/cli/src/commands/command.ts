import { didYouMean, nearest } from '@toolwright/core/front-end';
import { exitCodes, UsageError } from '../base/exit-codes.js';
import { type Arguments, parseCommandLine } from '../command-line/args.js';
import type { Flag } from '../command-line/flags.js';

export type Command = (words: string[]) => Promise<number>;

interface CommandOptions {
  /** The lines of `--help` between "Usage" and "Flags". */
  usage: string;
  flags?: readonly Flag[];
  run(args: Arguments): Promise<number>;
}

/** A command that parses its words and knows `--help`. */
export function defineCommand({ usage, flags = [], run }: CommandOptions): Command {
  return async (words) => {
    const args = parseCommandLine(words, flags, commandIn(usage));
    if (!args.switches.has('help')) return run(args);
    process.stdout.write(await helpText(usage, flags));
    return exitCodes.done;
  };
}

/** `toolwright undo`, from the first line of its usage. */
function commandIn(usage: string): string {
  return /toolwright(?: [a-z]+)+/.exec(usage)?.[0] ?? 'toolwright';
}

interface CommandGroupOptions extends Omit<CommandOptions, 'run'> {
  name: string;
  actions: Record<string, (words: string[], args: Arguments) => Promise<number>>;
}

/** A command whose first word names what to do; without one it prints its help as a mistake. */
export function defineCommandGroup({ name, usage, flags = [], actions }: CommandGroupOptions): Command {
  const run = async (args: Arguments): Promise<number> => {
    const [action, ...words] = args.words;
    if (action === undefined) {
      process.stderr.write(await helpText(usage, flags));
      return exitCodes.usage;
    }
    if (Object.hasOwn(actions, action)) return actions[action]!(words, args);
    throw unknownAction(name, action, Object.keys(actions));
  };
  return defineCommand({ usage, flags, run });
}

export function unknownAction(command: string, action: string, names: readonly string[]): UsageError {
  // Short words are near to each other by chance.
  const near = action.length < 3 ? [] : nearest(action, names, 1);
  const hint = didYouMean(near) || `Use ${names.slice(0, -1).join(', ')} or ${names.at(-1)}.`;
  return new UsageError(`There is no command ${command} ${action}. ${hint}`);
}

async function helpText(usage: string, flags: readonly Flag[]): Promise<string> {
  const { flagTable } = await import('../command-line/help.js');
  return `Usage\n${usage}\n${flags.length > 0 ? `\nFlags\n${flagTable(flags)}\n` : ''}`;
}
