import type { FetchLike } from '@modelcontextprotocol/client';
import type { McpOAuthConfig } from '../contract/server-config.js';

/**
 * True if an address of the sign-in may be asked. The server names it, so it could be anything that we reach and the server does not: it
 * must use TLS, or be on the machine of a server that is itself reached without TLS. Addresses that the user configured are not checked.
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
