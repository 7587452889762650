import type { Keys } from './setting-kinds.js';

export const serverName = {
  source: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$',
  says: 'a name of letters, digits, "_", "." and "-", at most 64',
};
export const webAddress = { source: '^https?://[^\\s]+$', says: 'an http or https address' };

const plainVariable = { source: '^[A-Za-z_][A-Za-z0-9_]*$', says: 'the name of a variable' };
/** A server is a program or an address, never both. */
export function transportProblem(server: Readonly<Record<string, unknown>>): string | null {
  const given = ['command', 'httpUrl', 'url'].filter((key) => server[key] !== undefined);
  if (given.length === 0) return 'needs "command" (a program to start), or "httpUrl" or "url" (an address)';
  if (given.length > 1) return `has both "${given.join('" and "')}"; give one of them`;
  if (given[0] === 'command' && (server['type'] ?? 'stdio') !== 'stdio')
    return `has a command, so its type can only be "stdio"`;
  if (given[0] !== 'command' && server['type'] === 'stdio')
    return 'has an address, so its type can\'t be "stdio"';
  const forPrograms = ['sandbox', 'network'].filter((key) => server[key] !== undefined);
  if (given[0] !== 'command' && forPrograms.length > 0)
    return `has an address, so "${forPrograms.join('" and "')}" can't be set: only a program is confined`;
  return null;
}

export const serverKeys = {
  command: { kind: { type: 'string' }, description: 'Program to start (stdio).' },
  args: { kind: { type: 'list' }, description: 'Its arguments.' },
  env: {
    kind: { type: 'map', of: { type: 'string' }, names: plainVariable },
    description: 'Variables added to its environment.',
  },
  cwd: { kind: { type: 'string' }, description: 'Folder it starts in; default: the workspace.' },
  httpUrl: {
    kind: { type: 'string', pattern: webAddress },
    description: 'Address of a streamable HTTP server.',
  },
  url: { kind: { type: 'string', pattern: webAddress }, description: 'Address of a server, read by `type`.' },
  type: {
    kind: { type: 'choice', values: ['stdio', 'http', 'streamable-http', 'sse'] },
    description: 'How to talk to it; default: found out by trying.',
  },
  headers: {
    kind: { type: 'map', of: { type: 'string' } },
    description: 'HTTP headers for every request.',
    secret: true,
  },
  sandbox: {
    kind: { type: 'choice', values: ['read', 'write', 'off'] },
    description:
      'How a program is confined: it reads the workspace (`read`, the default), may change it too (`write`), or is not confined (`off`).',
  },
  network: {
    kind: { type: 'boolean' },
    description:
      'Whether a confined program reaches the network; yes for your own servers, no for those of a project.',
  },
  timeout: {
    kind: { type: 'integer', minimum: 100, maximum: 86_400_000 },
    description: 'Longest time for one call without a sign of progress, in milliseconds.',
  },
  trust: { kind: { type: 'boolean' }, description: 'Call its tools without asking.', project: 'refuse' },
  includeTools: { kind: { type: 'list' }, description: 'Only these of its tools.' },
  excludeTools: { kind: { type: 'list' }, description: 'Not these of its tools.' },
  oauth: {
    kind: {
      type: 'group',
      keys: {
        enabled: {
          kind: { type: 'boolean' },
          description: 'Sign in with OAuth; default: found out by trying.',
        },
        clientId: {
          kind: { type: 'string' },
          description: 'Client id, where the server does not hand one out.',
        },
        clientSecret: { kind: { type: 'string' }, description: 'Client secret.', secret: true },
        scopes: { kind: { type: 'list' }, description: 'Scopes to ask for.' },
        authorizationUrl: { kind: { type: 'string', pattern: webAddress }, description: 'Where to sign in.' },
        tokenUrl: { kind: { type: 'string', pattern: webAddress }, description: 'Where tokens come from.' },
        redirectUri: {
          kind: { type: 'string', pattern: webAddress },
          description: 'Where the browser comes back to.',
        },
        clientMetadataUrl: {
          kind: { type: 'string', pattern: webAddress },
          description:
            'Address of a client id metadata document: the client id for authorities that read such documents.',
        },
      },
    },
    description: 'How to sign in.',
  },
} as const satisfies Keys;
