import type { McpToolDefinition } from '../contract/connection.js';

/** The share of every request to the model that the tools of a server take, as long as they are declared. */
export interface McpToolCost {
  tools: number;
  bytes: number;
  /** Rough: four bytes each. */
  tokens: number;
}

const BYTES_OF_A_TOKEN = 4;

/** Measures what the definitions of a server's tools add to each request to a model. */
export function mcpToolCost(server: { tools(): McpToolDefinition[] }): McpToolCost {
  const tools = server.tools();
  const bytes = tools.reduce((sum, { name, description, inputSchema }) => {
    const declaration = { name, description, parametersJsonSchema: inputSchema };
    return sum + Buffer.byteLength(JSON.stringify(declaration));
  }, 0);
  return { tools: tools.length, bytes, tokens: Math.ceil(bytes / BYTES_OF_A_TOKEN) };
}
