import {
  formatAbout,
  formatBytes,
  mcpBill,
  messageOf,
  type ServedServer,
  terminalSafe,
} from '@toolwright/core';
import type { Arguments } from '../../args.js';
import { exitCodes, UsageError } from '../../exit-codes.js';
import { abortOnInterrupt } from '../../interrupts.js';
import { loadSetup, type Setup } from '../../runtime.js';
import { withServers } from './servers.js';
import { serversFile, writeServer } from './settings-file.js';

/** Writes a server into the settings and tries it once, so that its tools are known from then on. */
export async function add(words: string[], args: Arguments): Promise<number> {
  const signal = abortOnInterrupt();
  const [name, ...command] = words;
  if (name === undefined) throw new UsageError('mcp add needs a name and a command: mcp add NAME -- COMMAND');
  const server = serverOf(command, args);
  const setup = await loadSetup(args);
  const known = setup.loaded.origins[`mcpServers.${name}`];
  const file = serversFile(args, setup);
  if (known?.file === file)
    throw new UsageError(
      `${known.source} has a server ${name} already. To replace it: toolwright mcp remove ${name}`,
    );
  await writeServer(file, name, server, setup);
  process.stdout.write(terminalSafe(`Added ${name} to ${file}\n`));
  if (args.switches.has('project')) return addedToProject(setup);
  return withServers(args, { name: 'mcp add' }, async ({ catalogue }) => {
    const added = catalogue?.find(name);
    if (added) process.stdout.write(terminalSafe(await firstLook(added, signal)));
    return signal.aborted ? exitCodes.cancelled : exitCodes.done;
  });
}

function addedToProject({ trusted }: Setup): number {
  if (trusted || !process.stdout.isTTY)
    process.stdout.write('It counts once you trust this folder as it is now: toolwright trust\n');
  else process.stdout.write('It counts once you trust this folder: toolwright trust\n');
  return exitCodes.done;
}

function serverOf(command: string[], { values, lists }: Arguments): Record<string, unknown> {
  const [http, sse] = [values.get('http'), values.get('sse')];
  const ways = [command.length > 0, http !== undefined, sse !== undefined].filter(Boolean).length;
  if (ways !== 1) throw new UsageError('mcp add needs one of: a command after --, --http URL, or --sse URL.');
  const env = pairs(lists.get('env') ?? [], '=', '--env NAME=VALUE');
  const headers = pairs(lists.get('header') ?? [], ':', '--header "NAME: VALUE"');
  if (command.length > 0) {
    if (lists.has('header')) throw new UsageError('--header is for servers behind an address.');
    return { command: command[0], args: command.slice(1), ...(env ? { env } : {}) };
  }
  if (lists.has('env')) throw new UsageError('--env is for servers that are programs.');
  const address = http === undefined ? { url: sse, type: 'sse' } : { httpUrl: http };
  return { ...address, ...(headers ? { headers } : {}) };
}

function pairs(items: readonly string[], separator: string, usage: string): Record<string, string> | null {
  if (items.length === 0) return null;
  return Object.fromEntries(
    items.map((item) => {
      const at = item.indexOf(separator);
      if (at <= 0) throw new UsageError(`${item.slice(0, 60)}: write ${usage}.`);
      const value = item.slice(at + 1);
      return [item.slice(0, at).trim(), separator === ':' ? value.trim() : value];
    }),
  );
}

async function firstLook(server: ServedServer, signal: AbortSignal): Promise<string> {
  try {
    await server.refresh(signal);
  } catch (error) {
    return `It does not work yet: ${messageOf(error)}\n`;
  }
  const { tools, bytes, tokens } = mcpBill(server);
  const names = server
    .tools()
    .slice(0, 12)
    .map(({ name }) => name);
  const more = tools > names.length ? `, and ${tools - names.length} more` : '';
  if (tools === 0) return 'It answers, and has no tools.\n';
  const [listed, take] = tools === 1 ? ['1 tool', 'It takes'] : [`${tools} tools`, 'They take'];
  return `It answers, with ${listed}: ${names.join(', ')}${more}. ${take} ${formatBytes(bytes)} of a request, about ${formatAbout(tokens)} tokens.\n`;
}
