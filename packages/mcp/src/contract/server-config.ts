import { SettingsError } from '@toolwright/machine/base/errors.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';

/** A server of `mcpServers`, or of `mcp.mcpServerCommand`, ready to be connected. */
export interface McpServerConfig {
  alias: string;
  endpoint: McpEndpoint;
  /** Longest time for one call. */
  timeoutMs: number | null;
  /** The user lets its tools run without a question. */
  trust: boolean;
  /** Null: all of them. */
  includeTools: string[] | null;
  excludeTools: string[];
  oauth: McpOAuthConfig;
}

export type McpEndpoint = McpProgram | McpAddress;

export interface McpProgram {
  kind: 'stdio';
  command: string;
  args: string[];
  /** Added to the environment every child gets. */
  env: Record<string, string>;
  /** Null: the workspace. */
  cwd: string | null;
  /** The server's access to the workspace; `off`: it is not confined at all. The default is `read`. */
  sandbox?: ServerSandbox;
  /** The server may reach the network; true by default. */
  network?: boolean;
  /** The folder of the extension that brings the program. Its author wrote the command, so nothing else that the command names is shown to it. */
  extensionRoot?: string;
}

export type ServerSandbox = 'read' | 'write' | 'off';

export interface McpAddress {
  kind: 'http';
  url: string;
  /** `auto`: streamable HTTP first, then the older SSE. */
  transport: 'http' | 'sse' | 'auto';
  headers: Record<string, string>;
}

export interface McpOAuthConfig {
  /** Null: when the server asks for it. */
  enabled: boolean | null;
  clientId: string | null;
  clientSecret: string | null;
  scopes: string[];
  authorizationUrl: string | null;
  tokenUrl: string | null;
  redirectUri: string | null;
  /** The address of a document that describes this client; authorities that read it need no registration. */
  clientMetadataUrl: string | null;
}

/** `mcpServers` as settings hold it: alias to server. `where` names the file for messages. */
export function parseServers(servers: unknown, where: string): McpServerConfig[] {
  if (servers === undefined || servers === null) return [];
  if (!isJsonObject(servers)) throw new SettingsError(`${where}: mcpServers must be an object of servers.`);
  return Object.entries(servers).map(([alias, server]) => parseServer(alias, server, where));
}

/** Who wrote the entry of a server, where it was not the user. */
export interface ServerAuthor {
  ofProject?: boolean;
  /** The folder of the extension that brings it. */
  extensionRoot?: string;
}

/**
 * Reads a server from the settings. A project's server has no network unless its entry says so; whoever trusts the project has read that.
 */
export function parseServer(
  alias: string,
  server: unknown,
  where: string,
  author: ServerAuthor = {},
): McpServerConfig {
  if (!isJsonObject(server)) throw new SettingsError(`${where}: the server "${alias}" must be an object.`);
  const read = reader(server, `${where}: the server "${alias}"`);
  return {
    alias,
    endpoint: endpointOf(server, read, author),
    timeoutMs: typeof server['timeout'] === 'number' ? server['timeout'] : null,
    trust: server['trust'] === true,
    includeTools: server['includeTools'] === undefined ? null : read.list('includeTools'),
    excludeTools: read.list('excludeTools'),
    oauth: oauthOf(isJsonObject(server['oauth']) ? server['oauth'] : {}, read.named('oauth')),
  };
}

/** The one-server short form; its alias is `mcp`. */
export function parseServerCommand(
  commandLine: string,
  options: { ofProject?: boolean } = {},
): McpServerConfig {
  const [command, ...args] = wordsOf(commandLine);
  if (command === undefined)
    throw new SettingsError('mcp.mcpServerCommand is empty: write the command there.');
  return parseServer('mcp', { command, args }, 'mcp.mcpServerCommand', options);
}

/** Compares by the names that the server uses. */
export function isIncluded(
  config: Pick<McpServerConfig, 'includeTools' | 'excludeTools'>,
  toolName: string,
): boolean {
  if (config.excludeTools.includes(toolName)) return false;
  return config.includeTools === null || config.includeTools.includes(toolName);
}

interface Reader {
  text(key: string): string | null;
  list(key: string): string[];
  map(key: string): Record<string, string>;
  named(key: string): string;
}

function reader(source: JsonObject, owner: string): Reader {
  const wrong = (key: string, wanted: string) => new SettingsError(`${owner}: ${key} must be ${wanted}.`);
  return {
    text(key) {
      const value = source[key];
      if (value === undefined || value === null) return null;
      if (typeof value !== 'string') throw wrong(key, 'text');
      return value;
    },
    list(key) {
      const value = source[key] ?? [];
      if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
        throw wrong(key, 'a list of texts');
      return value;
    },
    map(key) {
      const value = source[key] ?? {};
      if (!isJsonObject(value) || !Object.values(value).every((item) => typeof item === 'string'))
        throw wrong(key, 'an object of texts');
      return value as Record<string, string>;
    },
    named: (key) => `${owner}: ${key}`,
  };
}

function endpointOf(
  server: JsonObject,
  read: Reader,
  { ofProject = false, extensionRoot }: ServerAuthor,
): McpEndpoint {
  const command = read.text('command');
  const httpUrl = read.text('httpUrl');
  const url = httpUrl ?? read.text('url');
  if (command !== null) {
    const { sandbox, network } = server;
    return {
      kind: 'stdio',
      command,
      args: read.list('args'),
      env: read.map('env'),
      cwd: read.text('cwd'),
      sandbox: sandbox === 'write' || sandbox === 'off' ? sandbox : 'read',
      network: typeof network === 'boolean' ? network : !ofProject,
      extensionRoot,
    };
  }
  if (url === null || !/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new SettingsError(
      `${read.named('command, httpUrl or url')} is needed: a program to start, or an http(s) address.`,
    );
  }
  const type = server['type'];
  const transport =
    type === 'sse'
      ? 'sse'
      : httpUrl !== null || type === 'http' || type === 'streamable-http'
        ? 'http'
        : 'auto';
  return { kind: 'http', url, transport, headers: read.map('headers') };
}

function oauthOf(oauth: JsonObject, owner: string): McpOAuthConfig {
  const read = reader(oauth, owner);
  return {
    enabled: typeof oauth['enabled'] === 'boolean' ? oauth['enabled'] : null,
    clientId: read.text('clientId'),
    clientSecret: read.text('clientSecret'),
    scopes: read.list('scopes'),
    authorizationUrl: read.text('authorizationUrl'),
    tokenUrl: read.text('tokenUrl'),
    redirectUri: read.text('redirectUri'),
    clientMetadataUrl: documentAt(read.text('clientMetadataUrl'), read.named('clientMetadataUrl')),
  };
}

/** Authorities take the address as the name of the client only in this form. */
function documentAt(address: string | null, owner: string): string | null {
  if (address === null) return null;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol === 'https:' && url.pathname !== '/' && url.hash === '') return address;
  throw new SettingsError(
    `${owner} must be an https address with a path, such as https://example.com/client.json.`,
  );
}

/** Words as a shell would take them apart, with quotes and backslashes but no expansions. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  const word = /(?:[^\s"'\\]+|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs;
  for (const [text] of line.matchAll(word)) {
    words.push(
      text.replace(/\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'/gs, (_all, escaped, double, single) =>
        escaped !== undefined
          ? escaped
          : double !== undefined
            ? double.replace(/\\(["\\$`])/g, '$1')
            : single,
      ),
    );
  }
  return words;
}
