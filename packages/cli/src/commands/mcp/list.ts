import {
  formatAbout,
  formatBytes,
  type HowServerRuns,
  howServerRuns,
  type McpToolCost,
  mcpToolCost,
  messageOf,
  type OtherCode,
  type PinDifference,
  pinDifferences,
  plural,
  type ServedServer,
  terminalSafe,
  terminalSafeLine,
} from '@toolwright/core/front-end';
import { exitCodes } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { printJson } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import { endpointText, requireServer, type Servers, withServers } from './servers.js';

/** A server as it is listed. */
export interface ServerState extends McpToolCost {
  name: string;
  state: 'ok' | 'changed' | 'failed' | 'unknown';
  source: string;
  endpoint: string;
  /** Confinement of a program; null for an address. */
  runs: HowServerRuns | null;
  pending: PinDifference[];
  /** Files it runs in the workspace that are not as accepted. */
  code: OtherCode['changes'];
  warnings: string[];
  problem: string | null;
  listed_at: string | null;
}

/** State and bill of the servers. Those that are named, or not known yet, or all with `--check`, are started. */
export async function list(names: string[], args: Arguments): Promise<number> {
  const signal = abortOnInterrupt();
  return withServers(args, { name: 'mcp list' }, async (servers) => {
    const { catalogue } = servers;
    const wanted =
      names.length > 0
        ? names.map((name) => requireServer(catalogue, name))
        : [...(catalogue?.servers ?? [])];
    const isTried = (server: ServedServer): boolean =>
      names.length > 0 || args.switches.has('check') || !server.record || server.record.listedAt === 0;
    const rows = await serverRows(servers, { wanted, isTried, signal });
    if (args.switches.has('json')) printJson({ v: 1, servers: rows }, 2);
    else process.stdout.write(describe(rows, servers));
    if (signal.aborted) return exitCodes.cancelled;
    return rows.some(({ state }) => state === 'failed') ? exitCodes.failure : exitCodes.done;
  });
}

interface RowsOptions {
  wanted: readonly ServedServer[];
  /** Says if the server is started first. */
  isTried(server: ServedServer): boolean;
  signal: AbortSignal;
}

export async function serverRows(
  servers: Servers,
  { wanted, isTried, signal }: RowsOptions,
): Promise<ServerState[]> {
  const sandbox = await servers.toolbox.commands.sandbox.state(signal);
  return Promise.all(
    wanted.map(async (server) =>
      rowOf(server, servers, {
        failed: isTried(server) ? await tryIt(server, signal) : null,
        runs: howServerRuns(server.config, sandbox),
        code: (await server.otherCode(signal))?.changes ?? [],
      }),
    ),
  );
}

/** Starts the server; gives the error, or null. */
async function tryIt(server: ServedServer, signal: AbortSignal): Promise<string | null> {
  try {
    await server.refresh(signal);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

function rowOf(
  server: ServedServer,
  { setup }: Servers,
  { failed, runs, code }: { failed: string | null; runs: HowServerRuns | null; code: ServerState['code'] },
): ServerState {
  const { record, config } = server;
  const problem = failed ?? (record?.listedAt ? null : server.problem);
  const pending = record ? pinDifferences(record) : [];
  const isChanged = code.length > 0 || pending.some(({ change }) => change !== 'gone');
  const state = problem ? 'failed' : record ? (isChanged ? 'changed' : 'ok') : 'unknown';
  const path = config.alias === 'mcp' ? 'mcp.mcpServerCommand' : `mcpServers.${config.alias}`;
  const { origins } = setup.loaded;
  return {
    name: config.alias,
    state,
    source:
      origins[`mcpServers.${config.alias}`]?.source ??
      origins[path]?.source ??
      extensionWith(setup, config.alias) ??
      'settings',
    endpoint: endpointText(server),
    runs,
    ...mcpToolCost(server),
    pending,
    code,
    warnings: record?.warnings ?? [],
    problem,
    listed_at: record?.listedAt ? new Date(record.listedAt).toISOString() : null,
  };
}

function describe(rows: ServerState[], { setup }: Servers): string {
  const untrusted = setup.loaded.files.some(
    ({ path, state }) => state === 'not trusted' && path.endsWith('.mcp.json'),
  );
  const hint = untrusted
    ? 'The servers in .mcp.json of this folder are not used until you trust it: toolwright trust\n'
    : '';
  if (rows.length === 0)
    return `No MCP servers are configured. To add one: toolwright mcp add NAME -- COMMAND ARGS\n${hint}`;
  return `${rows.map(lines).join('')}${hint}`;
}

function lines(row: ServerState): string {
  const { name, state, tools, bytes, tokens, pending, code, warnings, problem, endpoint, source, runs } = row;
  const bill = `${plural(tools, 'tool')}, ${formatBytes(bytes)}, about ${formatAbout(tokens)} tokens`;
  const details = [
    ...(problem === null ? [] : [problem]),
    ...(problem === null ? codeChange(name, code) : []),
    ...pendingLines(name, pending),
    ...warnings,
    `${endpoint}  (${source})`,
    ...(runs === null ? [] : [runs.sentence]),
  ];
  const head = `${name.padEnd(16)} ${state.padEnd(8)} ${bill}`;
  return terminalSafe(`${head}\n${details.map((detail) => `  ${detail.replace(/\n/g, '\n  ')}\n`).join('')}`);
}

function codeChange(name: string, code: ServerState['code']): string[] {
  const [first] = code;
  if (first === undefined) return [];
  const more = code.length > 1 ? ` and ${code.length - 1} more` : '';
  return [
    `what it runs is not what you agreed to: ${terminalSafeLine(first.path)} (${first.change})${more}; to let it start: toolwright mcp accept ${name}`,
  ];
}

function pendingLines(name: string, pending: PinDifference[]): string[] {
  const shown = pending.slice(0, 10).map(({ tool, change }) => `${tool} (${change})`);
  const more = pending.length > shown.length ? ` and ${pending.length - shown.length} more` : '';
  const isOff = pending.some(({ change }) => change !== 'gone');
  if (shown.length === 0) return [];
  return [
    `not as accepted: ${shown.join(', ')}${more}${isOff ? `; to turn them on: toolwright mcp accept ${name}` : ''}`,
  ];
}

function extensionWith({ extensions }: Servers['setup'], alias: string): string | undefined {
  const found = extensions.find(({ isOn, extension }) => isOn && Object.hasOwn(extension.servers, alias));
  return found && `extension ${found.extension.name}`;
}
