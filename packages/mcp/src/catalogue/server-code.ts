import { resolve } from 'node:path';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import type { CodeChange, CodeDigest } from '@toolwright/machine/host/run-code/digest-code.js';
import type { CommandToRun } from '@toolwright/machine/host/run-code/run-code.js';
import type { McpEndpoint } from '../contract/server-config.js';

export interface ServerCodeNeeds {
  /** The workspace. */
  directory: string;
  /** Folders whose files others may change, the model first of all. */
  roots: readonly string[];
  /** `PATH` */
  path: string;
}

/** A server as a command line; null for an address. */
export function serverCommand(endpoint: McpEndpoint, directory: string): CommandToRun | null {
  if (endpoint.kind !== 'stdio') return null;
  const { command, args, cwd, env } = endpoint;
  return { words: [command, ...args], directory: resolve(directory, cwd ?? ''), environment: env };
}

/** The code that the server would run in those folders, as it is now; null for an address. */
export async function serverCode(
  endpoint: McpEndpoint,
  { directory, roots, path }: ServerCodeNeeds,
  signal: AbortSignal,
): Promise<CodeDigest | null> {
  const command = serverCommand(endpoint, directory);
  if (command === null) return null;
  const { codeRunBy } = await import('@toolwright/machine/host/run-code/run-code.js');
  const paths = await codeRunBy(command, { roots, path });
  if (paths.length === 0) return {};
  const { digestCode } = await import('@toolwright/machine/host/run-code/digest-code.js');
  return digestCode(paths, signal);
}

/** The differences from the code the user agreed to. None where they were never asked. */
export async function codeChanges(
  accepted: CodeDigest | null,
  now: CodeDigest | null,
): Promise<CodeChange[]> {
  if (accepted === null || now === null) return [];
  const { changesBetween } = await import('@toolwright/machine/host/run-code/digest-code.js');
  return changesBetween(accepted, now);
}

/** `lib/a.js (changed), lib/b.js (new)`, the first few. */
function shownChanges(changes: readonly CodeChange[]): string {
  const named = changes.slice(0, 3).map(({ path, change }) => `${foreignText(path)} (${change})`);
  const more = changes.length > named.length ? ` and ${changes.length - named.length} more` : '';
  return named.join(', ') + more;
}

export function refusedCode({
  server,
  changes,
}: {
  server: string;
  changes: readonly CodeChange[];
}): ToolError {
  return new ToolError(
    'denied',
    `The MCP server "${server}" was not started: what it runs is not what you agreed to: ${shownChanges(changes)}. Look at it; if it is right: toolwright mcp accept ${server}`,
  );
}
