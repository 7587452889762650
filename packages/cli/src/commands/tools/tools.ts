import { UsageError } from '../../base/exit-codes.js';
import { parseCommandLine, refuseFurther } from '../../command-line/args.js';
import { toolsFlags } from '../../command-line/flags.js';

/** `tools list|show|run|new|check`. */
export async function run(args: string[]): Promise<number> {
  const parsed = parseCommandLine(args, toolsFlags);
  const [action, ...rest] = parsed.words;
  if (parsed.switches.has('help') || action === undefined)
    return help(action === undefined && !parsed.switches.has('help'));
  switch (action) {
    case 'list':
      refuseFurther(rest, 'tools list');
      return (await import('./list.js')).list(parsed);
    case 'show':
      refuseFurther(rest.slice(1), 'tools show NAME');
      return (await import('./show.js')).show(rest[0], parsed);
    case 'run':
      return (await import('./run.js')).runTool(rest, parsed);
    case 'new':
      refuseFurther(rest.slice(1), 'tools new NAME');
      return (await import('./new.js')).newTool(rest[0], parsed);
    case 'check':
      refuseFurther(rest.slice(1), 'tools check NAME');
      return (await import('./check.js')).check(rest[0], parsed);
    default:
      throw new UsageError(`There is no command tools ${action}. It is list, show, run, new or check.`);
  }
}

async function help(isMistake: boolean): Promise<number> {
  const { flagTable } = await import('../../command-line/help.js');
  const text = `Usage
  toolwright tools list [--json] [--refresh]
  toolwright tools show NAME [--provider openai|anthropic|gemini]
  toolwright tools run NAME --args '{"path": "src"}' [--json]
  toolwright tools run --batch < calls.jsonl
  toolwright tools new NAME [--ts|--exec] [--user]
  toolwright tools check NAME|PATH|SERVER [--args JSON] [--json]

Flags
${flagTable(toolsFlags)}
`;
  (isMistake ? process.stderr : process.stdout).write(text);
  return isMistake ? 2 : 0;
}
