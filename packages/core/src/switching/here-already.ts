import { join } from 'node:path';
import { isJsonObject } from '@toolwright/machine/base/json.js';
import { lookAtSync } from '@toolwright/machine/host/state/inspect-files.js';
import { readSmallFile } from '@toolwright/machine/host/state/read-file.js';
import { hasHook } from './carry-hooks.js';
import type { HomeFindings } from './findings.js';

interface OwnFiles {
  stateFolder: string;
  settings: unknown;
  hooks: unknown;
}

/** Takes what the user has already out of what would come over, and notes it: an import again would promise it again. */
export async function noteHereAlready(found: HomeFindings, own: OwnFiles): Promise<void> {
  const at = (...path: string[]): unknown =>
    path.reduce<unknown>((value, name) => (isJsonObject(value) ? value[name] : undefined), own.settings);
  for (const [name, server] of found.servers)
    if (JSON.stringify(at('mcpServers', name)) === JSON.stringify(server)) {
      found.servers.delete(name);
      found.here.push(`the MCP server ${name}`);
    }
  const listed = (name: string): unknown[] => [at('permissions', name)].flat();
  const known = {
    deny: listed('deny'),
    ask: listed('ask'),
    allow: [...listed('offered'), ...listed('allow')],
  };
  for (const verdict of ['deny', 'ask', 'allow'] as const)
    for (const rule of found.rules[verdict])
      if (known[verdict].includes(rule)) {
        found.rules[verdict].delete(rule);
        found.here.push(`${verdict} ${rule}`);
      }
  for (const hook of [...found.hooks])
    if (hasHook(own.hooks, hook)) {
      found.hooks.splice(found.hooks.indexOf(hook), 1);
      found.here.push(`the hook of ${hook.event}: ${hook.command}`);
    }
  for (const file of [...found.files]) {
    const path = join(own.stateFolder, file.path);
    if (lookAtSync(path) === null || !(await readSmallFile(path))?.equals(file.bytes)) continue;
    found.files.splice(found.files.indexOf(file), 1);
    found.here.push(file.path);
  }
}
