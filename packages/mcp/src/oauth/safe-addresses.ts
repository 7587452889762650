import type { FetchLike } from '@modelcontextprotocol/client';
import type { McpOAuthConfig } from '../contract/server-config.js';

/**
 * Who signs people in is named by the server, and so could be anything that we reach and it does not. It is asked over
 * TLS, or without it on the very machine of a server that is itself spoken to without; what the user has configured is
 * theirs.
 */
export function isSafeAddress(url: URL, serverUrl: string, oauth: McpOAuthConfig): boolean {
  if (url.protocol === 'https:') return true;
  if (url.protocol !== 'http:') return false;
  const configured = [oauth.authorizationUrl, oauth.tokenUrl].filter((address) => address !== null);
  if (configured.some((address) => new URL(address).origin === url.origin)) return true;
  const server = new URL(serverUrl);
  return server.protocol === 'http:' && machineOf(server) === machineOf(url);
}

function machineOf({ hostname }: URL): string {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname) ? 'localhost' : hostname;
}

export function fetchSafely(fetch: FetchLike, serverUrl: string, oauth: McpOAuthConfig): FetchLike {
  return async (url, init) => {
    const address = new URL(url);
    if (isSafeAddress(address, serverUrl, oauth)) return fetch(url, init);
    throw new Error(`it names an address that is not asked: ${address.protocol}//${address.host}`);
  };
}
