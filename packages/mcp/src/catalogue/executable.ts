import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { lookAt, realPathOf } from '@toolwright/machine/host/state/inspect-files.js';
import type { McpEndpoint } from '../contract/server-config.js';

/** The program that a command starts, after links; null for an address, and for a command that is not found. */
export async function executableOf(
  endpoint: McpEndpoint,
  { path, directory }: { path: string; directory: string },
): Promise<string | null> {
  if (endpoint.kind !== 'stdio') return null;
  const { command, cwd, env } = endpoint;
  if (isAbsolute(command)) return realPathOf(command);
  if (command.includes('/')) return realPathOf(resolve(directory, cwd ?? '', command));
  for (const folder of (env['PATH'] ?? path).split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const candidate = join(folder, command);
    if ((await lookAt(candidate))?.kind === 'file') return realPathOf(candidate);
  }
  return null;
}
