import { confineServers, howServerRuns, type ServerConfinement } from '@toolwright/core/front-end';
import { plural } from '@toolwright/machine/base/amounts.js';
import { messageOf } from '@toolwright/machine/base/errors.js';
import { canonical } from '@toolwright/machine/base/json.js';
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
import {
  callFindings,
  cancellationFinding,
  type ExaminedServer,
  unknownToolFinding,
} from './call-findings.js';
import { definitionFindings } from './definition-findings.js';
import type { DoctorFinding, DoctorStage, ServerExamination } from './examination.js';
import { endFindings, leftoverFindings, outputFindings } from './process-findings.js';
import { type WatchedProcesses, watchProcesses } from './watched-processes.js';

/** The parts of a toolbox that an examination needs. */
export interface DoctorNeeds {
  host: Host;
  state: State;
  commands: { processes: Pick<Processes, 'start'>; shell?: ServerConfinement & { sandbox: Sandbox } };
  environment: Environment;
  onSignIn?(request: McpSignInRequest): Promise<void>;
  /** The server comes from a project, which may show it less than the user's own settings may. */
  isOfProject?: boolean;
  /** The user trusts the workspace; unless they do, the server runs no code of it. */
  trusted?: boolean;
  limits?: Partial<McpLimits>;
}

const LIMITS = { initialize: 15_000, list: 15_000, callIdle: 20_000, callHard: 30_000 };
const MESSAGE_BYTES = 32 * 1024 * 1024;
const SLOW_MS = 5_000;

/** Goes through everything a server has to do, and says what its author should know. Nothing is left running. */
export async function examineServer(
  config: McpServerConfig,
  needs: DoctorNeeds,
  signal: AbortSignal,
): Promise<ServerExamination> {
  const watched = watchProcesses(needs.commands.processes, MESSAGE_BYTES);
  const found: ServerExamination = {
    server: config.alias,
    name: '',
    version: '',
    protocolVersion: '',
    tools: 0,
    timings: { start: null, handshake: null, list: null, end: null },
    findings: await confinementOf(config, needs, signal),
    stderr: '',
  };
  const { connect } = await import('@toolwright/mcp/server/connect.js');
  let connection: McpConnection;
  let isAlive = true;
  try {
    connection = await connect(config, mcpNeeds(needs, watched), signal);
  } catch (error) {
    signal.throwIfAborted();
    found.findings.push(
      failureFinding(error, config),
      ...(await outputFindings(watched)),
      ...(await leftoverFindings(watched)),
    );
    return found;
  }
  try {
    found.findings.push(...greeting(connection, found));
    const { clock, workspace } = needs.host;
    await examineRunning({ connection, clock, workspace: workspace.directory, signal }, found);
  } catch (error) {
    signal.throwIfAborted();
    found.findings.push(failureFinding(error, config));
  } finally {
    found.stderr = connection.stderrTail();
    isAlive = connection.state === 'ready';
    const before = needs.host.clock.now();
    await connection.close();
    found.timings.end = needs.host.clock.now() - before;
  }
  found.findings.push(...(await outputFindings(watched)), ...(isAlive ? await endFindings(watched) : []));
  found.findings.push(...(await leftoverFindings(watched)));
  return found;
}

/** The finding that says how the server is confined here, before it is started. */
async function confinementOf(
  config: McpServerConfig,
  { commands }: DoctorNeeds,
  signal: AbortSignal,
): Promise<DoctorFinding[]> {
  const runs = commands.shell ? howServerRuns(config, await commands.shell.sandbox.state(signal)) : null;
  if (runs === null) return [];
  return [{ stage: 'start', level: runs.confined ? 'ok' : 'note', what: `it runs ${runs.sentence}` }];
}

function mcpNeeds(needs: DoctorNeeds, { processes }: Pick<WatchedProcesses, 'processes'>): McpNeeds {
  const { directory } = needs.host.workspace;
  const { shell } = needs.commands;
  return {
    ...needs.host,
    processes,
    environment: needs.environment,
    tokens: openTokenStore(needs.state),
    workspace: directory,
    roots: () => [],
    onElicit: async () => ({ action: 'decline' }),
    onSample: async () => null,
    samplesWithTools: true,
    onLog: () => undefined,
    confine:
      shell &&
      confineServers({
        ...needs,
        confinement: shell,
        workspace: needs.host.workspace,
        isOfProject: () => needs.isOfProject === true,
      }),
    onSignIn: needs.onSignIn,
    makeEmptyFolder: needs.trusted ? undefined : () => needs.state.make('cache', 'empty'),
    limits: { ...LIMITS, messageBytes: MESSAGE_BYTES, ...needs.limits },
  };
}

async function examineRunning(server: ExaminedServer, found: ServerExamination): Promise<void> {
  const tools = await listTools(server, found);
  const { findings } = found;
  if (tools.length > 0) {
    findings.push(...definitionFindings(found.server, tools));
    findings.push(...(await callFindings(server, tools)));
    findings.push(await unknownToolFinding(server));
  }
  findings.push(await cancellationFinding(server));
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

/** Lists the tools twice: what the user agreed to must be what the server says the next time, too. */
async function listTools(
  { connection, clock, signal }: ExaminedServer,
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
        'Keep names, descriptions and schemas the same: a changed tool stays off until the user has looked at it.',
    });
  for (const kind of ['prompts', 'resources'] as const)
    if (offers[kind]) findings.push(await countOf(kind, connection, signal));
  return items;
}

/** The finding for a warning of the list. A feature that is missing here is no fault of the server. */
function ofEntry(warning: string): DoctorFinding {
  if (warning.includes('not supported here')) return { stage: 'list', level: 'note', what: warning };
  return { stage: 'list', level: 'problem', what: warning, advice: 'Fix this entry of tools/list.' };
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
    return { stage: 'list', level: 'problem', what: `${kind}/list: ${plainMessage(error)}`, advice };
  }
}

/** Starts a server and lists its tools; null when that works, otherwise what went wrong. Nothing is left running. */
export async function tryServer(
  config: McpServerConfig,
  needs: DoctorNeeds,
  signal: AbortSignal,
): Promise<string | null> {
  const { connect } = await import('@toolwright/mcp/server/connect.js');
  try {
    const connection = await connect(config, mcpNeeds(needs, needs.commands), signal);
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

/** The finding for an error that ended the examination, with advice for the stage that it ended in. */
function failureFinding(error: unknown, { endpoint }: McpServerConfig): DoctorFinding {
  const at = error instanceof McpFailure ? error.stage : 'list';
  const stage: DoctorStage =
    at === 'start' ? 'start' : at === 'initialize' || at === 'sign in' ? 'handshake' : 'list';
  const advice = at === 'sign in' ? undefined : (endpoint.kind === 'stdio' ? overStdio : overHttp)[stage];
  return { stage, level: 'problem', what: plainMessage(error), advice };
}

/** The message of an error, without the words that send the reader to the doctor. */
function plainMessage(error: unknown): string {
  return messageOf(error)
    .replace(/ `toolwright mcp doctor [^`]*` tries each stage and says more\./, '')
    .replace(/; `toolwright mcp doctor [^`]*` says more\./, '.')
    .replace(/^MCP server "[^"]*" failed at [a-z ]+: /, '');
}
