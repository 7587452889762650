import type { McpServerConfig } from './server-config.js';

const REFUSED_WRITE =
  /\bE(ROFS|ACCES|PERM)\b|read-only file ?system|permission denied|operation not permitted/i;
const REFUSED_NETWORK =
  /\b(ENETUNREACH|EAI_AGAIN|ENOTFOUND|ECONNREFUSED|EHOSTUNREACH)\b|getaddrinfo|network is unreachable|could ?n[o']t resolve|name resolution|failed to (fetch|connect)|connection refused|dns error/i;
const NOT_SEEN = /\bENOENT\b|no such file or directory|cannot find module|not found|no module named/i;

const BESIDE_ITS_PROGRAM =
  'Beside its own program it can never write: a file that it keeps there needs another place, such as its home, by a variable or an argument of the server.';

/** A hint that the sandbox may have caused a server's failure, with the setting that would allow it; null where nothing points to it. */
export function confinementHint(
  { alias, endpoint }: Pick<McpServerConfig, 'alias' | 'endpoint'>,
  stage: 'start' | 'call',
  text: string,
): string | null {
  if (endpoint.kind !== 'stdio') return null;
  const { sandbox = 'read', network = true } = endpoint;
  const setting = (key: string): string => `mcpServers.${alias}.${key}`;
  if (!network && REFUSED_NETWORK.test(text))
    return `The server runs without network. If it needs that, the user can set ${setting('network')} to true.`;
  if (sandbox === 'read' && REFUSED_WRITE.test(text))
    return `The server is confined: it may write to its home and to /tmp, which are its own. To let it change the folders to work in and the files that its settings name, the user can set ${setting('sandbox')} to "write". ${BESIDE_ITS_PROGRAM}`;
  // A call may well be about a file that is not there.
  if (REFUSED_WRITE.test(text) || (stage === 'start' && NOT_SEEN.test(text)))
    return `The server is confined: it sees the folders to work in, what its command names, and a home of its own. With ${setting('sandbox')} set to "off" it would see what you see.`;
  return null;
}
