/** The origin of a tool; decides how its calls are judged and how a collision is worded. */
export type ToolOrigin =
  | { kind: 'builtin' | 'library' }
  | { kind: 'file'; path: string }
  | { kind: 'command'; command: string }
  | { kind: 'mcp'; server: string; bareName: string };

/** The origin of a tool in words, for messages and lists. */
export function describeOrigin(origin: ToolOrigin): string {
  switch (origin.kind) {
    case 'builtin':
      return 'a built-in tool';
    case 'library':
      return 'the embedding program';
    case 'file':
      return `the tool file ${origin.path}`;
    case 'command':
      return `the discovery command ${origin.command}`;
    case 'mcp':
      return `the MCP server ${origin.server}`;
  }
}
