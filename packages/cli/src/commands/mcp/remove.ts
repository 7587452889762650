import { exitCodes, UsageError } from '../../base/exit-codes.js';
import { print } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import { withServers } from './servers.js';
import { serversFile, writeServer } from './settings-file.js';

/** Takes a server out of the settings, and forgets what was accepted of it. */
export async function remove(words: string[], args: Arguments): Promise<number> {
  const [name, ...rest] = words;
  if (name === undefined || rest.length > 0)
    throw new UsageError('mcp remove needs the name of one server; toolwright mcp list shows them.');
  return withServers(args, { name: 'mcp remove' }, async ({ setup, catalogue }) => {
    const file = serversFile(args, setup);
    const origin = setup.loaded.origins[`mcpServers.${name}`];
    // The file may hold servers that were not loaded: a variable is missing, or nobody trusts the folder.
    const isThere = await writeServer(file, name, undefined, setup);
    if (!isThere) throw new UsageError(notThere(name, file, origin?.source));
    const saved = await catalogue?.find(name)?.forget();
    print(`Removed ${name} from ${file}`);
    if (saved)
      print(
        `What it saved stays in ${saved}\nA server added as ${name} will find it again; delete the folder if you no longer need it.`,
      );
    return exitCodes.done;
  });
}

function notThere(name: string, file: string, source: string | undefined): string {
  if (source === undefined) return `There is no server ${name} in ${file}. toolwright mcp list shows them.`;
  const how = source.includes('.mcp.json') ? ' Use --project.' : ' Remove it there.';
  return `The server ${name} is defined in ${source}, not in ${file}.${how}`;
}
