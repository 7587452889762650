import { parseCommandLine, refuseFurther } from '../args.js';
import { UsageError } from '../exit-codes.js';
import type { Flag } from '../flags.js';

const flags: readonly Flag[] = [
  {
    name: 'scope',
    value: 'SCOPE',
    choices: ['project', 'global'],
    help: 'With forget: only a fact of this scope.',
  },
  { name: 'json', help: 'With show: print JSON.' },
];

/** `memory show|forget`. */
export async function run(args: string[]): Promise<number> {
  const parsed = parseCommandLine(args, flags);
  const [action, ...rest] = parsed.words;
  if (parsed.switches.has('help') || action === undefined)
    return help(action === undefined && !parsed.switches.has('help'));
  switch (action) {
    case 'show':
      refuseFurther(rest, 'memory show');
      return (await import('./memory-show.js')).show(parsed);
    case 'forget':
      if (rest.length === 0)
        throw new UsageError(
          'memory forget needs the number of a fact or some of its words. toolwright memory show lists them.',
        );
      return (await import('./memory-forget.js')).forget(rest.join(' '), parsed);
    default:
      throw new UsageError(`There is no command memory ${action}. It is show or forget.`);
  }
}

async function help(isMistake: boolean): Promise<number> {
  const { flagTable } = await import('../help.js');
  const text = `Usage
  toolwright memory show [--json]                   the context files in effect here, and the facts in them
  toolwright memory forget NUMBER|WORDS [--scope SCOPE]   remove one fact

Flags
${flagTable(flags)}
`;
  (isMistake ? process.stderr : process.stdout).write(text);
  return isMistake ? 2 : 0;
}
