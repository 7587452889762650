import { homedir } from 'node:os';
import {
  formatAbout,
  formatBytes,
  howServerRuns,
  mcpToolCost,
  messageOf,
  type ServedServer,
  unwritableVariables,
} from '@toolwright/core/front-end';
import { tryServer } from '@toolwright/doctor';
import { exitCodes, UsageError } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { print } from '../../base/print.js';
import { isStdinTerminal } from '../../base/read-stdin.js';
import type { Arguments } from '../../command-line/args.js';
import { loadSetup, type Setup } from '../../setup/runtime.js';
import { takeConfinement } from './confinement-flags.js';
import { headersIn, variablesIn } from './pairs.js';
import { requireServer, withServers } from './servers.js';
import { serversFile, writeServer } from './settings-file.js';

/** Writes a server into the settings and tries it once, so that its tools are known from then on. */
export async function add(words: string[], given: Arguments): Promise<number> {
  const signal = abortOnInterrupt();
  const { args, confinement } = takeConfinement(given);
  const [name, ...rest] = words;
  if (name === undefined) throw new UsageError('mcp add needs a name and a command: mcp add NAME -- COMMAND');
  const { command, address } = commandOrAddress(rest);
  const server = { ...serverOf(command, address, args), ...confinement };
  const setup = await loadSetup(args);
  const known = setup.loaded.origins[`mcpServers.${name}`];
  const file = serversFile(args, setup);
  if (known?.file === file)
    throw new UsageError(
      `${known.source} already has a server ${name}. To replace it: toolwright mcp remove ${name}`,
    );
  await writeServer(file, name, server, setup);
  print(`Added ${name} to ${file}`);
  if (args.switches.has('project')) return addedToProject(setup);
  const failure = await firstLook(name, args, signal);
  const write = async (changed: Record<string, unknown>): Promise<boolean> =>
    writeServer(file, name, changed, setup);
  if (failure === null && address) print('It speaks streamable HTTP, so it was added as that (httpUrl).');
  if (failure === null || signal.aborted) return signal.aborted ? exitCodes.cancelled : exitCodes.done;
  if (command.length === 0) await tryOtherTransport({ name, args, failure, server, write }, signal);
  else if (confinement.sandbox === undefined) await findOut({ name, args, failure, server, write }, signal);
  else print(`It does not work yet: ${failure}`);
  return signal.aborted ? exitCodes.cancelled : exitCodes.done;
}

type TriedSandbox = 'write' | 'off';

interface NotWorking {
  name: string;
  args: Arguments;
  /** The error of the first look. */
  failure: string;
  /** The server as it stands in the settings. */
  server: Record<string, unknown>;
  write(server: Record<string, unknown>): Promise<boolean>;
}

/** Tries an address as the other kind of server, and writes down what works. */
async function tryOtherTransport(
  { name, args, failure, server, write }: NotWorking,
  signal: AbortSignal,
): Promise<void> {
  const { httpUrl, url, type: _type, ...rest } = server;
  const isSse = httpUrl === undefined;
  const other = isSse ? { httpUrl: url, ...rest } : { url: httpUrl, type: 'sse', ...rest };
  await write(other);
  const second = await firstLook(name, args, signal);
  if (second === null)
    return print(
      isSse
        ? 'It does not speak SSE but streamable HTTP, so it was added as that (httpUrl).'
        : 'It does not speak streamable HTTP but the older SSE, so it was added as that (type: sse).',
    );
  await write(server);
  print(`It does not work yet: ${failure}`);
  print(`Tried over ${isSse ? 'streamable HTTP' : 'SSE'}, too: ${second}`);
}

/** Finds a confinement in which the server starts. Without the sandbox it is tried only after a yes. */
async function findOut(
  { name, args, failure, server, write }: NotWorking,
  signal: AbortSignal,
): Promise<void> {
  const works = async (sandbox: TriedSandbox): Promise<boolean> =>
    withServers(args, { name: 'mcp add' }, async ({ catalogue, toolbox, setup }) => {
      const config = requireServer(catalogue, name).config;
      const { endpoint } = config;
      if (endpoint.kind !== 'stdio') return false;
      const parts = { ...toolbox, environment: process.env, trusted: setup.trusted };
      const tried = { ...config, endpoint: { ...endpoint, sandbox } };
      return (await tryServer(tried, parts, signal)) === null;
    });
  const { confined } = await withServers(args, { name: 'mcp add' }, async ({ toolbox }) =>
    toolbox.commands.sandbox.state(signal),
  );
  if (!confined) return print(`It does not work yet: ${failure}`);
  if (await works('write')) {
    await write({ ...server, sandbox: 'write' });
    print('It does not work where it can only read the workspace, so it may change it too (sandbox: write).');
    return void (await firstLook(name, args, signal));
  }
  print(`It does not work yet: ${failure}`);
  const asked = {
    title: `Try ${name} without the sandbox? It could then do whatever you can.`,
    yes: 'yes',
    no: 'no',
  };
  if (!isStdinTerminal() || process.stderr.isTTY !== true)
    return print(
      `Without the sandbox it was not tried. If you want that: toolwright mcp remove ${name}, and add it with --sandbox off`,
    );
  const { askYesOrNoOnTerminal } = await import('../../ask/ask-on-terminal.js');
  if (!(await askYesOrNoOnTerminal(asked, signal))) return;
  if (!(await works('off')))
    return print('It does not work without the sandbox either, so it stays confined.');
  await write({ ...server, sandbox: 'off' });
  await firstLook(name, args, signal);
}

function addedToProject({ trusted }: Setup): number {
  if (trusted || !process.stdout.isTTY)
    print('It takes effect once you trust this folder as it is now: toolwright trust');
  else print('It takes effect once you trust this folder: toolwright trust');
  return exitCodes.done;
}

/** A single address in place of a command is meant as an address; how it speaks is found out. */
function commandOrAddress(words: string[]): { command: string[]; address: string | undefined } {
  const [word = ''] = words;
  const isAddress = words.length === 1 && /^https?:\/\//i.test(word);
  return isAddress ? { command: [], address: word } : { command: words, address: undefined };
}

function serverOf(
  command: string[],
  address: string | undefined,
  { values, lists }: Arguments,
): Record<string, unknown> {
  const named = [address, values.get('http'), values.get('sse')].filter((url) => url !== undefined);
  if (named.length + (command.length > 0 ? 1 : 0) !== 1)
    throw new UsageError('mcp add needs one of: a command after --, a URL, --http URL, or --sse URL.');
  const [env, headers] = [variablesIn(lists), headersIn(lists)];
  if (command.length > 0) {
    if (lists.has('header')) throw new UsageError('--header is for servers behind an address.');
    return { command: command[0], args: command.slice(1), env };
  }
  if (lists.has('env')) throw new UsageError('--env is for servers that are programs.');
  const [url] = named;
  return { ...(values.has('sse') ? { url, type: 'sse' } : { httpUrl: url }), headers };
}

/** Starts it and says what it has; null when it works, otherwise what went wrong. */
async function firstLook(name: string, args: Arguments, signal: AbortSignal): Promise<string | null> {
  return withServers(args, { name: 'mcp add' }, async ({ catalogue, toolbox }) => {
    const server = catalogue?.find(name);
    if (!server) return null;
    try {
      await server.refresh(signal);
    } catch (error) {
      return messageOf(error);
    }
    const runs = howServerRuns(server.config, await toolbox.commands.sandbox.state(signal));
    print(offerText(server));
    if (runs) print(`It runs ${runs.sentence}.`);
    if (!runs?.confined || runs.sandbox !== 'read') return null;
    const places = { workspace: toolbox.host.workspace, home: homedir() };
    for (const [variable, path] of unwritableVariables(server.config, places))
      print(`It can't change ${path} (${variable}). If it must: --sandbox write`);
    return null;
  });
}

function offerText(server: ServedServer): string {
  const { tools, bytes, tokens } = mcpToolCost(server);
  const names = server
    .tools()
    .slice(0, 12)
    .map(({ name }) => name);
  const more = tools > names.length ? `, and ${tools - names.length} more` : '';
  if (tools === 0) return 'It answers, but has no tools.';
  const [listed, take] = tools === 1 ? ['1 tool', 'It takes'] : [`${tools} tools`, 'They take'];
  return `It answers, with ${listed}: ${names.join(', ')}${more}. ${take} ${formatBytes(bytes)} of a request, about ${formatAbout(tokens)} tokens.`;
}
