import { parseCommandLine } from '../args.js';
import { UsageError } from '../exit-codes.js';
import { toolsRunFlags } from '../flags.js';

/** `tools list|show|run`. */
export async function run(args: string[]): Promise<number> {
  const parsed = parseCommandLine(args, toolsRunFlags);
  const [action, ...rest] = parsed.words;
  if (parsed.switches.has('help') || action === undefined)
    return help(action === undefined && !parsed.switches.has('help'));
  switch (action) {
    case 'list':
      return (await import('./tools-list.js')).list(parsed);
    case 'show':
      return (await import('./tools-show.js')).show(rest[0], parsed);
    case 'run':
      return (await import('./tools-run.js')).runTool(rest[0], parsed);
    default:
      throw new UsageError(`There is no command tools ${action}. It is list, show or run.`);
  }
}

async function help(isMistake: boolean): Promise<number> {
  const { flagTable } = await import('../help.js');
  const text = `Usage
  toolwright tools list [--json]
  toolwright tools show NAME [--provider openai|anthropic|gemini]
  toolwright tools run NAME --args '{"path": "src"}' [--json]
  toolwright tools run --batch < calls.jsonl

Flags
${flagTable(toolsRunFlags)}
`;
  (isMistake ? process.stderr : process.stdout).write(text);
  return isMistake ? 2 : 0;
}
