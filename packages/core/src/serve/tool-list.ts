import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import type { RegisteredTool, ToolRegistry } from '../tools/tool-registry.js';
import { hintsOf } from './annotations.js';

/** True for tools that other agents may call: those of MCP servers are only for the user who configured them. */
export function isServed({ tool, origin }: RegisteredTool): boolean {
  return origin.kind !== 'mcp' && tool.name !== 'tool_search';
}

/** The tools as a client sees them, in the order of their registration. */
export function listTools(registry: Pick<ToolRegistry, 'all'>): ListedTool[] {
  return registry.all().filter(isServed).map(listed);
}

function listed({ tool, origin }: RegisteredTool): ListedTool {
  const { name, displayName, description, parameterSchema } = tool;
  return {
    name,
    title: displayName,
    description,
    inputSchema: { ...parameterSchema, type: 'object' },
    annotations: { title: displayName, ...hintsOf(tool, origin) },
  };
}
