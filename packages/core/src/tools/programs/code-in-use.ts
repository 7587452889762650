import type { ReasonedPlace } from '@toolwright/machine/host/places/path-guard.js';
import type { CommandToRun, RunCode } from '@toolwright/machine/host/run-code/run-code.js';
import { namesIn } from '@toolwright/machine/host/state/inspect-files.js';
import type { Workspace } from '@toolwright/machine/host/workspace.js';
import type { McpServerConfig } from '@toolwright/mcp/contract/server-config.js';
import type { OwnToolsOptions } from '../own/own-sources.js';

export interface Configured {
  servers: readonly { config: McpServerConfig }[];
  ownTools: OwnToolsOptions | undefined;
  workspace: Pick<Workspace, 'directory' | 'roots'>;
  /** `PATH` */
  path: string;
}

/** Files that are protected while servers and tools are configured, as of the last look. */
export interface CodeInUse {
  readonly places: readonly ReasonedPlace[];
  /** These servers are configured from now on. */
  setServers(servers: Configured['servers']): void;
  refresh(): Promise<void>;
}

export function watchCodeInUse(atFirst: Configured): CodeInUse {
  let configured = atFirst;
  const watch = {
    places: [] as readonly ReasonedPlace[],
    setServers(servers: Configured['servers']) {
      configured = { ...configured, servers };
    },
    async refresh() {
      watch.places = (await codeInUse(configured)).map(({ path, by }) => ({ path, why: `${by} runs it` }));
    },
  };
  return watch;
}

/** Files in the roots that configured servers and tools would run now. Loads nothing where there are none. */
export async function codeInUse(configured: Configured): Promise<RunCode[]> {
  const { workspace, path } = configured;
  const commands = [...(await serverCommands(configured)), ...(await toolCommands(configured))];
  if (commands.length === 0) return [];
  const { codeRunBy } = await import('@toolwright/machine/host/run-code/run-code.js');
  const roots = workspace.roots.filter(({ access }) => access === 'write').map((root) => root.path);
  const found = await Promise.all(
    commands.map(async ({ by, ...command }) =>
      (await codeRunBy(command, { roots, path })).map((each) => ({ path: each, by })),
    ),
  );
  return found.flat();
}

type CommandInUse = CommandToRun & { by: string };

async function serverCommands({ servers, workspace }: Configured): Promise<CommandInUse[]> {
  if (servers.length === 0) return [];
  const { serverCommand } = await import('@toolwright/mcp/catalogue/server-code.js');
  return servers.flatMap(({ config: { alias, endpoint } }) => {
    const command = serverCommand(endpoint, workspace.directory);
    return command === null ? [] : [{ by: `the MCP server "${alias}"`, ...command }];
  });
}

async function toolCommands({ ownTools, workspace }: Configured): Promise<CommandInUse[]> {
  if (!ownTools) return [];
  const { discoveryCommand, folders = [] } = ownTools;
  const names = await Promise.all(folders.map(({ path }) => namesIn(path)));
  if (discoveryCommand === undefined && names.every(({ length }) => length === 0)) return [];
  return (await import('../own/tool-commands.js')).toolCommands(ownTools, workspace.directory);
}
