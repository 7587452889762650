import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import type { ToolOrigin } from '../../tools/loading/tool-origin.js';
import type { RegisteredTool, ToolRegistry } from '../../tools/tool-registry.js';
import type { Tool } from '../../tools/tools.js';

/**
 * Tools for the model of a session alone: `tool_search` would find tools that are not served, and a script could call MCP servers,
 * while calls beside it would see its changes before they are kept.
 */
const forSessions = new Set(['tool_search', 'script']);

/** True for tools that other agents may call: those of MCP servers are only for the user who configured them. */
export function isServed({ tool, origin }: RegisteredTool): boolean {
  return origin.kind !== 'mcp' && !forSessions.has(tool.name);
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
    // The library passes it on to clients of the revision of 2025-11-25 alone.
    execution: { taskSupport: 'optional' },
  };
}

/** Hints for another agent; they grant nothing. */
export interface ToolHints {
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/** Gives the hints for a tool, none for tools that are not built in: by the protocol they count as able to do anything. */
export function hintsOf({ effectKinds: kinds }: Pick<Tool, 'effectKinds'>, origin: ToolOrigin): ToolHints {
  if (kinds === undefined || origin.kind !== 'builtin') return {};
  const openWorldHint = kinds.some((kind) => kind === 'network' || kind === 'execute');
  if (kinds.every((kind) => kind === 'read' || kind === 'network'))
    return { readOnlyHint: true, openWorldHint };
  // A fact is added once and removes nothing.
  const isAdding = kinds.every((kind) => kind === 'memory');
  return { readOnlyHint: false, destructiveHint: !isAdding, idempotentHint: isAdding, openWorldHint };
}
