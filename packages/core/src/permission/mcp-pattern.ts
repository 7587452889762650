import { SettingsError } from '@toolwright/machine/base/errors.js';

/** `server` for all its tools, or `server/tool`. */
export function mcpMatcher({
  pattern,
  source,
}: {
  pattern: string;
  source: string;
}): (server: string, tool: string) => boolean {
  const written = pattern.trim();
  const slash = written.indexOf('/');
  const server = slash === -1 ? written : written.slice(0, slash);
  const tool = slash === -1 ? undefined : written.slice(slash + 1);
  if (server === '' || tool === '' || /[*\s]/.test(written)) {
    throw new SettingsError(
      `${source}: the rule ${JSON.stringify(`Mcp(${pattern})`)} names no server or tool. Write Mcp(server) for all its tools, or Mcp(server/tool).`,
    );
  }
  return (actualServer, actualTool) => actualServer === server && (tool ?? actualTool) === actualTool;
}
