import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { terminalSafeLine } from '@toolwright/machine/base/terminal-safe.js';
import type { PieceProblem } from '../../pieces/piece.js';
import type { ExtensionVariable, ReadExtension } from '../extension.js';
import type { ManifestReader } from '../manifest-reader.js';

/** Reads a server with its code. Its settings become variables of the environment, `NAME_SETTING`. */
export function readMcpBundle(reader: ManifestReader): ReadExtension | PieceProblem {
  const { name, server } = reader.value;
  reader.leave({
    prompts: 'prompts are asked of the server itself',
    icon: 'there are no icons here',
    localization: 'texts are shown as they are in the manifest',
  });
  if (!isJsonObject(server) || typeof name !== 'string') {
    if (!isJsonObject(server)) reader.problem('server is missing: it says what to start', 'server');
    return reader.result('mcpb', {});
  }
  const config = configOf(server, reader);
  const variables = variablesOf(reader, name);
  const prefix = variablePrefix(name);
  const filled = JSON.parse(
    JSON.stringify(config ?? {}).replace(
      /\$\{user_config\.([A-Za-z_]\w*)\}/g,
      (_all, key: string) => `\${${prefix}${key.toUpperCase()}:-}`,
    ),
  ) as JsonObject;
  for (const { name: variable, isRequired, default: usual } of variables)
    fillDefault(filled, variable, isRequired ? '' : `:-${usual ?? ''}`);
  return reader.result('mcpb', { servers: config ? { [name]: filled } : {}, variables });
}

function variablePrefix(name: string): string {
  return `${name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}_`;
}

/** Gives a setting its default from the manifest; one without a default must be set. */
function fillDefault(config: JsonObject, variable: string, ending: string): void {
  const put = (value: unknown): unknown =>
    typeof value === 'string'
      ? value.replaceAll(`\${${variable}:-}`, () => `\${${variable}${ending}}`)
      : Array.isArray(value)
        ? value.map(put)
        : isJsonObject(value)
          ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, put(item)]))
          : value;
  for (const [key, value] of Object.entries(config)) config[key] = put(value) as JsonObject[string];
}

function configOf(server: JsonObject, reader: ManifestReader): JsonObject | null {
  const { type, entry_point: entry } = server;
  const written = isJsonObject(server['mcp_config']) ? server['mcp_config'] : {};
  const overrides = isJsonObject(written['platform_overrides']) ? written['platform_overrides'] : {};
  const own = overrides[process.platform];
  const { command, args, env, cwd } = { ...written, ...(isJsonObject(own) ? own : {}) };
  if (typeof command === 'string') return { command, args: args ?? [], env, cwd };
  const path = typeof entry === 'string' ? reader.inside(entry, 'server', 'entry_point') : null;
  if (path === null || !reader.has(path)) {
    reader.problem('server has neither mcp_config.command nor an entry_point that is there', 'server');
    return null;
  }
  const root = `\${__dirname}`;
  const file = `${root}/${path}`;
  if (type === 'node') return { command: 'node', args: [file] };
  if (type === 'python') return { command: 'python3', args: [file] };
  if (type === 'uv') return { command: 'uv', args: ['run', '--directory', root, path] };
  return { command: file, args: [] };
}

function variablesOf(reader: ManifestReader, name: string): ExtensionVariable[] {
  const settings = reader.value['user_config'];
  if (!isJsonObject(settings)) return [];
  return Object.entries(settings).flatMap(([key, setting]): ExtensionVariable[] => {
    if (!isJsonObject(setting) || !/^[A-Za-z_]\w*$/.test(key)) return [];
    const { title, description, required, multiple, type, default: usual } = setting;
    // Paths are listed as in PATH; a colon is part of many other values.
    const separator = type === 'directory' || type === 'file' ? ':' : ',';
    return [
      {
        name: `${variablePrefix(name)}${key.toUpperCase()}`,
        description: terminalSafeLine(String(description ?? title ?? '')).slice(0, 200),
        isRequired: required === true && usual === undefined,
        default:
          usual === undefined ? undefined : Array.isArray(usual) ? usual.join(separator) : String(usual),
        separator: multiple === true ? separator : undefined,
      },
    ];
  });
}
