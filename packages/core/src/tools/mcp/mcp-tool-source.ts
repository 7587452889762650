import type { ServerRecord } from '@toolwright/mcp/catalogue/server-record.js';
import type { McpToolDefinition } from '@toolwright/mcp/contract/connection.js';
import { isIncluded, type McpServerConfig } from '@toolwright/mcp/contract/server-config.js';
import type { RegisteredTool, ToolSource } from '../tool-registry.js';
import { DiscoveredMCPTool, type McpToolServer } from './mcp-tool.js';
import { type McpResourceServer, READ_RESOURCE, ReadMcpResourceTool } from './read-resource-tool.js';

/** A server whose tools and resources the model may use. */
export interface McpSourceServer extends McpToolServer, McpResourceServer {
  readonly config: Pick<McpServerConfig, 'alias' | 'trust' | 'includeTools' | 'excludeTools'>;
  readonly record: Pick<ServerRecord, 'resources'> | null;
}

/** The tools of one server for the registry, and one that reads its resources. Asks nobody: the server knows its tools. */
export function mcpToolSource(server: McpSourceServer): ToolSource {
  const { alias } = server.config;
  const made = new WeakMap<McpToolDefinition, RegisteredTool>();
  const toolOf = (definition: McpToolDefinition): RegisteredTool => {
    const known = made.get(definition) ?? {
      tool: new DiscoveredMCPTool(server, definition),
      origin: { kind: 'mcp', server: alias, bareName: definition.name },
    };
    made.set(definition, known);
    return known;
  };
  let reader: RegisteredTool | null = null;
  const readerOf = (): RegisteredTool =>
    (reader ??= {
      tool: new ReadMcpResourceTool(server),
      origin: { kind: 'mcp', server: alias, bareName: READ_RESOURCE },
    });
  return {
    kind: 'mcp',
    name: alias,
    async discover() {
      const tools = server.tools();
      const hasOwn = tools.some(({ name }) => name === READ_RESOURCE);
      const isWanted = server.record?.resources && !hasOwn && isIncluded(server.config, READ_RESOURCE);
      return isWanted ? [...tools.map(toolOf), readerOf()] : tools.map(toolOf);
    },
  };
}
