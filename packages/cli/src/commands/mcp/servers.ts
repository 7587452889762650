import type { Toolbox } from '@toolwright/core';
import {
  didYouMean,
  type McpCatalogue,
  nearest,
  type ServedServer,
  terminalSafe,
} from '@toolwright/core/front-end';
import { UsageError } from '../../base/exit-codes.js';
import type { Arguments } from '../../command-line/args.js';
import { type Setup, withToolbox } from '../../setup/runtime.js';

export interface Servers {
  setup: Setup;
  toolbox: Toolbox;
  /** Null when none is configured. */
  catalogue: McpCatalogue | null;
}

/** The configured servers, none of them started; closed when the work is done. */
export async function withServers<Result>(
  args: Arguments,
  front: { name: string; anyExecutable?: boolean },
  work: (servers: Servers) => Promise<Result>,
): Promise<Result> {
  const servers = { onlyLooks: true, anyExecutable: front.anyExecutable, isQuiet: true };
  return withToolbox(args, { front: front.name, servers }, (toolbox, setup) =>
    work({ setup, toolbox, catalogue: toolbox.mcp }),
  );
}

export function requireServer(catalogue: McpCatalogue | null, name: string): ServedServer {
  const found = catalogue?.find(name);
  if (found) return found;
  const names = (catalogue?.servers ?? []).map(({ config }) => config.alias);
  const hint = didYouMean(nearest(name, names)) || 'toolwright mcp list shows them.';
  throw new UsageError(`There is no MCP server ${name}. ${hint}`);
}

/** The command line or address of a server, for people. Values of variables and headers are not shown. */
export function endpointText({ config: { endpoint } }: ServedServer): string {
  return terminalSafe(
    endpoint.kind === 'stdio' ? [endpoint.command, ...endpoint.args].join(' ') : endpoint.url,
  );
}
