import type { McpServer } from '@agentclientprotocol/sdk';
import { type ConfiguredServer, parseServer } from '@toolwright/core';
import { messageOf } from '@toolwright/core/front-end';

export interface ClientServers {
  servers: ConfiguredServer[];
  /** Sentences about those that can't be used. */
  problems: string[];
}

const MOST_SERVERS = 50;

/**
 * The MCP servers that an editor supplies. They are confined, pinned and asked about like those of the settings; nothing
 * in what the editor sends can change that. A name that the settings use stays theirs.
 */
export function clientServers(given: readonly McpServer[], taken: ReadonlySet<string>): ClientServers {
  const result: ClientServers = { servers: [], problems: [] };
  const used = new Set(taken);
  for (const server of given.slice(0, MOST_SERVERS)) {
    const alias = freeAlias(server.name, used);
    used.add(alias);
    try {
      result.servers.push({ config: parseServer(alias, settingsOf(server), 'the editor'), place: '' });
    } catch (error) {
      result.problems.push(messageOf(error));
    }
  }
  if (given.length > MOST_SERVERS)
    result.problems.push(`The editor named ${given.length} MCP servers; the first ${MOST_SERVERS} are used.`);
  return result;
}

/** Spells the server as the settings would. */
function settingsOf(server: McpServer): Record<string, unknown> {
  if ('command' in server) {
    const { command, args, env } = server;
    return { command, args, env: Object.fromEntries(env.map(({ name, value }) => [name, value])) };
  }
  const headers = Object.fromEntries(server.headers.map(({ name, value }) => [name, value]));
  return server.type === 'sse' ? { url: server.url, type: 'sse', headers } : { httpUrl: server.url, headers };
}

/** Names in editors may be anything; those of tools may not. */
function freeAlias(name: string, used: ReadonlySet<string>): string {
  const plain =
    name
      .replace(/[^A-Za-z0-9_-]+/g, '-')
      .replace(/^[-_]+|[-_]+$/g, '')
      .slice(0, 40) || 'editor';
  let alias = plain;
  for (let number = 2; used.has(alias); number++) alias = `${plain}-${number}`;
  return alias;
}
