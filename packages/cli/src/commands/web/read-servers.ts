import type { ServedServer } from '@toolwright/core/front-end';
import type { ServerRow } from '@toolwright/web';
import type { Arguments } from '../../command-line/args.js';
import { serverRows } from '../mcp/list.js';
import { withServers } from '../mcp/servers.js';

/** The servers as they were last seen; none is started. */
export async function readServers(args: Arguments, signal: AbortSignal): Promise<ServerRow[]> {
  return withServers(args, { name: 'web' }, async (servers) => {
    const wanted = [...(servers.catalogue?.servers ?? [])];
    const rows = await serverRows(servers, { wanted, isTried: () => false, signal });
    return rows.map(({ runs, name, state, source, endpoint, bytes, tokens, problem, warnings }, index) => ({
      name,
      state,
      source,
      endpoint,
      bytes,
      tokens,
      problem,
      warnings,
      runs: runs?.sentence ?? '',
      tools: toolsOf(wanted[index]!),
    }));
  });
}

function toolsOf({ record }: ServedServer): ServerRow['tools'] {
  if (!record) return [];
  const { accepted, pending, gone } = record;
  return [
    ...accepted.map(({ name, description = '' }) => ({
      name,
      description,
      pin: gone.includes(name) ? 'gone' : 'accepted',
    })),
    ...pending.map(({ name, description = '' }) => ({ name, description, pin: 'not accepted' })),
  ];
}
