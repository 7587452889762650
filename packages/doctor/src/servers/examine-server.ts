import { confineServers, howServerRuns, type ServerConfinement } from '@toolwright/core';
import { formatBytes, plural } from '@toolwright/machine/base/amounts.js';
import { canonical } from '@toolwright/machine/base/canonical-json.js';
import { messageOf } from '@toolwright/machine/base/errors.js';
import type { Host } from '@toolwright/machine/host/host.js';
import type { Processes } from '@toolwright/machine/host/processes/processes.js';
import type { Sandbox } from '@toolwright/machine/host/sandbox/sandbox.js';
import type { State } from '@toolwright/machine/host/state/state.js';
import type { Environment } from '@toolwright/machine/host/state/state-folder.js';
import {
  type McpConnection,
  McpFailure,
  type McpToolDefinition,
} from '@toolwright/mcp/contract/connection.js';
import type { McpLimits, McpNeeds, McpSignInRequest } from '@toolwright/mcp/contract/needs.js';
import type { McpServerConfig } from '@toolwright/mcp/contract/server-config.js';
import { openTokenStore } from '@toolwright/mcp/oauth/token-store.js';
import type { DoctorFinding, DoctorStage, ServerExamination } from './examination.js';
import { lookAtDefinitions } from './look-at-definitions.js';
import { type Trial, tryCalls, tryCancellation, tryMistake } from './try-calls.js';
import { type WatchedProcesses, watchProcesses } from './watched-processes.js';

/** A toolbox has all of this. */
export interface DoctorParts {
  host: Host;
  state: State;
  commands: { processes: Pick<Processes, 'start'>; shell?: ServerConfinement & { sandbox: Sandbox } };
  environment: Environment;
  onSignIn?(request: McpSignInRequest): Promise<void>;
  /** The server comes from a project, which may show it less than the person's own settings may. */
  isOfProject?: boolean;
  /** The person trusts the workspace; unless they do, the server runs no code of it. */
  trusted?: boolean;
  limits?: Partial<McpLimits>;
}

const LIMITS = { initialize: 15_000, list: 15_000, callIdle: 20_000, callHard: 30_000 };
const MESSAGE_BYTES = 32 * 1024 * 1024;
const SLOW_MS = 5_000;

/** Goes through everything a server has to do, and says what its author should know. Nothing is left running. */
export async function examineServer(
  config: McpServerConfig,
  parts: DoctorParts,
  signal: AbortSignal,
): Promise<ServerExamination> {
  const watched = watchProcesses(parts.commands.processes, MESSAGE_BYTES);
  const found: ServerExamination = {
    server: config.alias,
    name: '',
    version: '',
    protocolVersion: '',
    tools: 0,
    timings: { start: null, handshake: null, list: null, end: null },
    findings: await confinementOf(config, parts, signal),
    stderr: '',
  };
  const { connect } = await import('@toolwright/mcp/server/connect.js');
  let connection: McpConnection;
  let isAlive = true;
  try {
    connection = await connect(config, partsFor(parts, watched), signal);
  } catch (error) {
    signal.throwIfAborted();
    found.findings.push(failed(error, config), ...(await outputOf(watched)), ...(await leftOf(watched)));
    return found;
  }
  try {
    found.findings.push(...greeting(connection, found));
    await tryAll({ connection, clock: parts.host.clock, signal }, found);
  } catch (error) {
    signal.throwIfAborted();
    found.findings.push(failed(error, config));
  } finally {
    found.stderr = connection.stderrTail();
    isAlive = connection.state === 'ready';
    const before = parts.host.clock.now();
    await connection.close();
    found.timings.end = parts.host.clock.now() - before;
  }
  found.findings.push(...(await outputOf(watched)), ...(isAlive ? await endOf(watched) : []));
  found.findings.push(...(await leftOf(watched)));
  return found;
}

/** How it runs here, before it is started. */
async function confinementOf(
  config: McpServerConfig,
  { commands }: DoctorParts,
  signal: AbortSignal,
): Promise<DoctorFinding[]> {
  const runs = commands.shell ? howServerRuns(config, await commands.shell.sandbox.state(signal)) : null;
  if (runs === null) return [];
  return [{ stage: 'start', level: runs.confined ? 'ok' : 'note', what: `it runs ${runs.sentence}` }];
}

function partsFor(parts: DoctorParts, { processes }: Pick<WatchedProcesses, 'processes'>): McpNeeds {
  const { directory } = parts.host.workspace;
  const { shell } = parts.commands;
  return {
    ...parts.host,
    processes,
    environment: parts.environment,
    tokens: openTokenStore(parts.state),
    workspace: directory,
    roots: () => [],
    onElicit: async () => ({ action: 'decline' }),
    onSample: async () => null,
    onLog: () => undefined,
    ...(shell
      ? {
          async confine(launch, server, within) {
            const isOfProject = (): boolean => parts.isOfProject === true;
            const { workspace } = parts.host;
            return confineServers({ ...parts, confinement: shell, workspace, isOfProject })(
              launch,
              server,
              within,
            );
          },
        }
      : {}),
    ...(parts.onSignIn ? { onSignIn: parts.onSignIn } : {}),
    ...(parts.trusted ? {} : { startApart: () => parts.state.make('cache', 'apart') }),
    limits: { ...LIMITS, messageBytes: MESSAGE_BYTES, ...parts.limits },
  };
}

async function tryAll(trial: Trial, found: ServerExamination): Promise<void> {
  const tools = await listTools(trial, found);
  const { findings } = found;
  if (tools.length > 0) {
    findings.push(...lookAtDefinitions(found.server, tools));
    findings.push(...(await tryCalls(trial, tools)));
    findings.push(await tryMistake(trial));
  }
  findings.push(await tryCancellation(trial));
}

function greeting({ info }: McpConnection, found: ServerExamination): DoctorFinding[] {
  const { name, version, protocolVersion, timings, transport, offers } = info;
  Object.assign(found, { name, version, protocolVersion });
  found.timings.start = timings.spawnMs;
  found.timings.handshake = timings.initializeMs;
  const kinds = (['tools', 'prompts', 'resources', 'completions', 'logging'] as const).filter(
    (kind) => offers[kind],
  );
  const started: DoctorFinding =
    transport === 'stdio'
      ? { stage: 'start', level: 'ok', what: `started in ${timings.spawnMs} ms` }
      : {
          stage: 'start',
          level: 'ok',
          what: `reached over ${transport === 'http' ? 'streamable HTTP' : 'SSE'}`,
        };
  const shook = `${name || 'a server without a name'} ${version}, protocol ${protocolVersion}, in ${timings.initializeMs} ms; offers ${kinds.join(', ') || 'nothing'}`;
  return [
    started,
    timings.initializeMs > SLOW_MS
      ? {
          stage: 'handshake',
          level: 'warning',
          what: shook,
          advice: 'Answer initialize first, and load what takes long afterwards.',
        }
      : { stage: 'handshake', level: 'ok', what: shook },
  ];
}

/** Twice: what a person agreed to must be what the server says the next time, too. */
async function listTools(
  { connection, clock, signal }: Trial,
  found: ServerExamination,
): Promise<McpToolDefinition[]> {
  const { offers } = connection.info;
  const { findings } = found;
  const startedAt = clock.now();
  const { items, warnings } = await connection.listTools(signal);
  const took = clock.now() - startedAt;
  found.timings.list = took;
  found.tools = items.length;
  findings.push({ stage: 'list', level: 'ok', what: `${plural(items.length, 'tool')} in ${took} ms` });
  for (const warning of warnings) findings.push(ofEntry(warning));
  if (offers.tools && !isSameList(items, (await connection.listTools(signal)).items))
    findings.push({
      stage: 'list',
      level: 'problem',
      what: 'the second list of tools differs from the first, and nothing had happened between them',
      advice:
        'Keep names, descriptions and schemas the same: a changed tool stays off until the person has looked at it.',
    });
  for (const kind of ['prompts', 'resources'] as const)
    if (offers[kind]) findings.push(await countOf(kind, connection, signal));
  return items;
}

/** What we can't do is no fault of the server. */
function ofEntry(warning: string): DoctorFinding {
  if (warning.includes('not supported here')) return { stage: 'list', level: 'note', what: warning };
  return { stage: 'list', level: 'problem', what: warning, advice: 'Mend this entry of tools/list.' };
}

function isSameList(left: readonly McpToolDefinition[], right: readonly McpToolDefinition[]): boolean {
  const text = (tools: readonly McpToolDefinition[]): string =>
    JSON.stringify(tools.map(({ asSent }) => canonical(asSent)));
  return text(left) === text(right);
}

async function countOf(
  kind: 'prompts' | 'resources',
  connection: McpConnection,
  signal: AbortSignal,
): Promise<DoctorFinding> {
  try {
    const { items } =
      kind === 'prompts' ? await connection.listPrompts(signal) : await connection.listResources(signal);
    return { stage: 'list', level: 'ok', what: plural(items.length, kind.slice(0, -1)) };
  } catch (error) {
    signal.throwIfAborted();
    const advice = `Answer ${kind}/list, or do not offer ${kind}.`;
    return { stage: 'list', level: 'problem', what: `${kind}/list: ${plainly(error)}`, advice };
  }
}

const LIST_ADVICE = 'Answer tools/list with {"tools": […]}; an empty list is fine.';

const overStdio: Partial<Record<DoctorStage, string>> = {
  start: 'Run the command by hand: it must stay, and wait for messages on its standard input.',
  handshake:
    'Answer initialize with one line of JSON on standard output, and print everything else to standard error.',
  list: LIST_ADVICE,
};

const overHttp: Partial<Record<DoctorStage, string>> = {
  start: 'Check the address, and that the server listens there.',
  handshake:
    'Answer a POST of initialize at this very address with status 200 and one message, as application/json or text/event-stream. A server of the older kind, with a stream of its own, is added with --sse.',
  list: LIST_ADVICE,
};

function failed(error: unknown, { endpoint }: McpServerConfig): DoctorFinding {
  const at = error instanceof McpFailure ? error.stage : 'list';
  const stage: DoctorStage =
    at === 'start' ? 'start' : at === 'initialize' || at === 'sign in' ? 'handshake' : 'list';
  const advice = at === 'sign in' ? undefined : (endpoint.kind === 'stdio' ? overStdio : overHttp)[stage];
  return { stage, level: 'problem', what: plainly(error), ...(advice ? { advice } : {}) };
}

/** Without the words that send the reader here. */
function plainly(error: unknown): string {
  return messageOf(error)
    .replace(/ `toolwright mcp doctor [^`]*` tries each stage and says more\./, '')
    .replace(/; `toolwright mcp doctor [^`]*` says more\./, '.')
    .replace(/^MCP server "[^"]*" failed at [a-z ]+: /, '');
}

async function outputOf(watched: WatchedProcesses): Promise<DoctorFinding[]> {
  if ((await watched.ended()) === null) return [];
  const count = watched.noiseCount();
  const noise: DoctorFinding =
    count === 0
      ? { stage: 'output', level: 'ok', what: 'standard output carries messages only' }
      : {
          stage: 'output',
          level: 'problem',
          what: `${plural(count, 'line')} on standard output ${count === 1 ? 'is no message' : 'are no messages'}, such as ${JSON.stringify(watched.noise[0])}`,
          advice: 'Print logs to standard error; some clients give up at the first such line.',
        };
  const bytes = watched.stderrBytes();
  const said = bytes === 0 ? 'nothing on standard error' : `${formatBytes(bytes)} on standard error`;
  return [noise, { stage: 'output', level: 'ok', what: said }];
}

async function endOf(watched: WatchedProcesses): Promise<DoctorFinding[]> {
  const ended = await watched.ended();
  if (!ended) return [];
  const { exitCode, signal, stopped, survivors } = ended;
  const how: DoctorFinding =
    stopped === null
      ? {
          stage: 'end',
          level: exitCode === 0 ? 'ok' : 'note',
          what: `it ended by itself when its input was closed, ${signal === null ? `with status ${exitCode}` : `by ${signal}`}`,
        }
      : {
          stage: 'end',
          level: 'warning',
          what: 'it did not end when its input was closed, and had to be stopped',
          advice: 'End when standard input ends: a client that is gone can do no more than close it.',
        };
  const others = survivors.map(({ command }) => command.slice(0, 80));
  return [
    how,
    ...(others.length > 0
      ? [
          {
            stage: 'end' as const,
            level: 'warning' as const,
            what: `it left programs running, which were ended: ${others.slice(0, 3).join('; ')}`,
            advice: 'End what you have started.',
          },
        ]
      : []),
  ];
}

async function leftOf(watched: WatchedProcesses): Promise<DoctorFinding[]> {
  const ended = await watched.ended();
  if (!ended) return [];
  return [
    { stage: 'end', level: ended.left === 0 ? 'ok' : 'problem', what: `processes left: ${ended.left}` },
  ];
}

/** Starts a server and lists its tools; null when that works, otherwise what went wrong. Nothing is left running. */
export async function tryServer(
  config: McpServerConfig,
  parts: DoctorParts,
  signal: AbortSignal,
): Promise<string | null> {
  const { connect } = await import('@toolwright/mcp/server/connect.js');
  try {
    const connection = await connect(config, partsFor(parts, parts.commands), signal);
    try {
      await connection.listTools(signal);
    } finally {
      await connection.close();
    }
    return null;
  } catch (error) {
    signal.throwIfAborted();
    return messageOf(error);
  }
}
