import { UsageError } from '../../base/exit-codes.js';
import { parseCommandLine } from '../../command-line/args.js';
import type { Flag } from '../../command-line/flags.js';
import { confinementFlags } from './confinement-flags.js';

const flags: readonly Flag[] = [
  { name: 'json', help: 'With list and accept: print JSON.' },
  { name: 'check', help: 'With list: start every server and ask for its tools.' },
  { name: 'http', value: 'URL', help: 'With add: the address of a streamable HTTP server.' },
  { name: 'sse', value: 'URL', help: 'With add: the address of a server that speaks the older SSE.' },
  {
    name: 'env',
    value: 'NAME=VALUE',
    repeated: true,
    help: "With add: a variable for the server; '$NAME' in quotes is looked up with each start.",
  },
  {
    name: 'header',
    value: 'NAME:VALUE',
    repeated: true,
    help: 'With add: an HTTP header for every request.',
  },
  ...confinementFlags.map((flag) => ({
    ...flag,
    help: `With add: ${flag.help.charAt(0).toLowerCase()}${flag.help.slice(1)}`,
  })),
  { name: 'project', help: 'With add and remove: in .mcp.json of this folder, not in your own settings.' },
  { name: 'yes', help: 'With accept: accept without asking, for scripts.' },
];

/** `mcp list|add|remove|accept|doctor|serve`; the last two have flags of their own. */
export async function run(args: string[]): Promise<number> {
  if (args[0] === 'doctor') return (await import('./doctor.js')).doctor(args.slice(1));
  if (args[0] === 'serve') return (await import('./serve.js')).serve(args.slice(1));
  const parsed = parseCommandLine(args, flags);
  const [action, ...rest] = parsed.words;
  if (parsed.switches.has('help') || action === undefined)
    return help(action === undefined && !parsed.switches.has('help'));
  switch (action) {
    case 'list':
      return (await import('./list.js')).list(rest, parsed);
    case 'add':
      return (await import('./add.js')).add(rest, parsed);
    case 'remove':
      return (await import('./remove.js')).remove(rest, parsed);
    case 'accept':
      return (await import('./accept.js')).accept(rest, parsed);
    default:
      throw new UsageError(
        `There is no command mcp ${action}. It is list, add, remove, accept, doctor or serve.`,
      );
  }
}

async function help(isMistake: boolean): Promise<number> {
  const { flagTable } = await import('../../command-line/help.js');
  const text = `Usage
  toolwright mcp list [NAME…] [--check] [--json]       the servers, their state, and what their tools cost
  toolwright mcp add NAME [--env K=V] -- COMMAND ARGS  a server that is a program; finds out how confined it works
  toolwright mcp add NAME --http URL [--header H]      a server behind an address
  toolwright mcp remove NAME
  toolwright mcp accept NAME [--yes]                   look at new and changed tools, and turn them on
  toolwright mcp doctor NAME                           examine a server: see mcp doctor --help
  toolwright mcp serve [--http PORT]                   offer these tools to another agent: see mcp serve --help

Flags
${flagTable(flags)}
`;
  (isMistake ? process.stderr : process.stdout).write(text);
  return isMistake ? 2 : 0;
}
