/** One thing a call does to the world. Paths are absolute. */
export type Effect =
  | { kind: 'read'; path: string }
  | { kind: 'write'; path: string }
  | { kind: 'delete'; path: string }
  | {
      kind: 'execute';
      command: string;
      directory: string;
      readOnly: boolean;
      network: boolean;
      background: boolean;
    }
  | { kind: 'network'; host: string; port: number; url: string }
  | { kind: 'mcp'; server: string; tool: string }
  | { kind: 'memory'; scope: 'global' | 'project'; path: string };

/** One line a person can read, with `show` turning a path into its short form. */
export function describeEffect(effect: Effect, show: (path: string) => string = (path) => path): string {
  switch (effect.kind) {
    case 'read':
      return `read ${show(effect.path)}`;
    case 'write':
      return `write ${show(effect.path)}`;
    case 'delete':
      return `delete ${show(effect.path)}`;
    case 'execute':
      return `run ${effect.command}${effect.network ? ' (network)' : ''}${effect.background ? ' (background)' : ''}`;
    case 'network':
      return `reach ${effect.host}:${effect.port}`;
    case 'mcp':
      return `call ${effect.tool} on MCP server ${effect.server}`;
    case 'memory':
      return `remember in ${show(effect.path)} (${effect.scope})`;
  }
}
