import { pathToFileURL } from 'node:url';
import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import type { Host } from '@toolwright/machine/host/host.js';
import type { Processes } from '@toolwright/machine/host/processes/processes.js';
import type { State } from '@toolwright/machine/host/state/state.js';
import type { Environment } from '@toolwright/machine/host/state/state-folder.js';
import {
  type ConfiguredServer,
  type McpCatalogue,
  openCatalogue,
} from '@toolwright/mcp/catalogue/catalogue.js';
import type { OtherCode } from '@toolwright/mcp/catalogue/start-consent.js';
import type { McpRoot } from '@toolwright/mcp/contract/connection.js';
import type { McpNeeds } from '@toolwright/mcp/contract/needs.js';
import { openTaskStore } from '@toolwright/mcp/contract/task-store.js';
import { openTokenStore } from '@toolwright/mcp/oauth/token-store.js';
import type { ToolRegistry } from '../tool-registry.js';
import type { ServerConfinement } from './confine-server.js';
import { mcpToolSource } from './mcp-tool-source.js';

/** The MCP servers of a session, and who answers them. */
export interface McpOptions
  extends Pick<McpNeeds, 'onElicit' | 'onSample' | 'samplesWithTools' | 'onSignIn' | 'limits'> {
  servers: readonly ConfiguredServer[];
  /** Shows the user a sentence. */
  say?(message: string): void;
  /** The user is about to look at a server: it may start another program than the accepted one. */
  anyExecutable?: boolean;
  /** Asks whether a server may run other code of the workspace than the user agreed to; without it nobody can be asked. */
  onOtherCode?(other: OtherCode, signal: AbortSignal): Promise<boolean>;
  /** True if nobody works with the tools: servers are started only when they are named. */
  onlyLooks?: boolean;
  idleMs?: number;
}

export interface OpenServersNeeds {
  host: Host;
  state: State;
  registry: ToolRegistry;
  environment: Environment;
  processes: Pick<Processes, 'start'>;
  /** Confines the servers that are programs. */
  confinement: ServerConfinement;
  /** Throws when the extension that brings a server is not what the user accepted. */
  requireAccepted(root: string, signal: AbortSignal): Promise<void>;
  /** False: nobody vouches for the workspace, so servers run no code of it. */
  trusted: boolean;
}

/** Registers the tools that are known, without starting a server, and those that become known later. */
export async function openServers(options: McpOptions, needs: OpenServersNeeds): Promise<McpCatalogue> {
  const { host, state, registry, environment } = needs;
  const say = options.say ?? (() => undefined);
  // Nobody is asked here, so nothing has to be cut short.
  const { signal } = new AbortController();
  const register = async (alias?: string): Promise<void> => {
    const { problems } = await registry.discoverMcpTools(signal, alias);
    for (const problem of problems) say(problem);
  };
  const catalogue = await openCatalogue({
    servers: options.servers,
    state,
    needs: mcpNeeds(options, needs, say),
    path: environment['PATH'] ?? '',
    idleMs: options.idleMs,
    anyExecutable: options.anyExecutable,
    roots: () => writableRoots(host),
    onOtherCode: options.onOtherCode,
    onTools: ({ config }) => register(config.alias),
    say,
  });
  for (const server of catalogue.servers) registry.addSource(mcpToolSource(server));
  await register();
  // Whoever waits for the first request need not wait for this.
  if (!options.onlyLooks) setImmediate(() => catalogue.startUnknown());
  return catalogue;
}

/** The surroundings of each server of the session, and who answers it. */
function mcpNeeds(options: McpOptions, needs: OpenServersNeeds, say: (message: string) => void): McpNeeds {
  const { host, state, environment } = needs;
  const { onElicit, onSample, samplesWithTools, onSignIn, limits } = options;
  const isOfProject = (alias: string): boolean =>
    options.servers.some(({ config, place }) => config.alias === alias && place !== '');
  const confining = { ...needs, workspace: host.workspace, isOfProject };
  return {
    ...host,
    processes: needs.processes,
    async confine(launch, server, within) {
      const { extensionRoot } = server.program;
      if (extensionRoot !== undefined) await needs.requireAccepted(extensionRoot, within);
      const { confineServers } = await import('./confine-server.js');
      return confineServers(confining)(launch, server, within);
    },
    async forget(alias) {
      const { forgetHome } = await import('./confine-server.js');
      return forgetHome(alias, confining);
    },
    environment,
    tokens: openTokenStore(state),
    tasks: openTaskStore(state),
    workspace: host.workspace.directory,
    roots: () => rootsOf(host),
    onLog: ({ server, level, text }) => host.log.debug(`mcp ${server} ${level}`, text),
    onElicit: onElicit ?? declinedElicitation(say),
    onSample: onSample ?? declinedSampling(say),
    samplesWithTools: onSample === undefined || samplesWithTools,
    makeEmptyFolder: needs.trusted ? undefined : () => state.make('cache', 'empty'),
    onSignIn,
    limits,
  };
}

function rootsOf({ workspace }: Host): McpRoot[] {
  return workspace.roots.map(({ path }) => ({ uri: pathToFileURL(path).href, name: path }));
}

function writableRoots({ workspace }: Host): string[] {
  return workspace.roots.filter(({ access }) => access === 'write').map(({ path }) => path);
}

/**
 * Servers are always told that they may ask: some list other tools where they may not, and the tools that were
 * accepted must not depend on whether somebody sits at a terminal.
 */
function declinedElicitation(say: (message: string) => void): NonNullable<McpNeeds['onElicit']> {
  return async ({ server, message }) => {
    say(
      `The MCP server "${foreignText(server)}" asked something, which was declined as nobody could be asked: ${foreignText(message, 200)}`,
    );
    return { action: 'decline' };
  };
}

function declinedSampling(say: (message: string) => void): NonNullable<McpNeeds['onSample']> {
  return async ({ server }) => {
    say(
      `The MCP server "${foreignText(server)}" asked for an answer from the model, which was declined: there is none here.`,
    );
    return null;
  };
}
