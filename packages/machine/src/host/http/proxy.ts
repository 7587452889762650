import type { Socket } from 'node:net';
import type { Environment } from '../state/state-folder.js';
import { HttpError, unreachable } from './http-error.js';

/** Opens a plain connection; the client adds TLS on top where wanted. */
export type Dial = (target: DialTarget) => Promise<Socket>;

export interface DialTarget {
  host: string;
  port: number;
  signal: AbortSignal;
}

/**
 * The proxy that the environment names for a URL, or null. Lower-case names win, as in curl. Servers on this machine
 * are never reached through a proxy.
 */
export function proxyFor(url: URL, environment: Environment): URL | null {
  const read = (name: string) => (environment[name] || environment[name.toUpperCase()] || '').trim();
  const text = read(url.protocol === 'https:' ? 'https_proxy' : 'http_proxy') || read('all_proxy');
  if (text === '' || isLoopback(url.hostname) || isExempt(url, read('no_proxy'))) return null;
  let proxy: URL;
  try {
    proxy = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  } catch (error) {
    throw new HttpError('proxy', 'The proxy variable does not hold an address like http://host:port.', {
      cause: error,
    });
  }
  if (proxy.protocol !== 'http:' && proxy.protocol !== 'https:') {
    throw new HttpError(
      'proxy',
      `The proxy variable names a ${proxy.protocol.slice(0, -1)} proxy; only http and https proxies can be used. ` +
        `Set HTTPS_PROXY to one of these, or list ${url.hostname} in NO_PROXY.`,
    );
  }
  return proxy;
}

function isExempt(url: URL, list: string): boolean {
  const host = bareHost(url.hostname);
  const port = String(portOf(url));
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const [, name = '', entryPort] =
        /^(\[[^\]]*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
      if (entryPort !== undefined && entryPort !== port) return false;
      const suffix = bareHost(name).replace(/^\*?\./, '');
      return suffix !== '' && (host === suffix || host.endsWith(`.${suffix}`));
    });
}

export function isLoopback(hostname: string): boolean {
  const host = bareHost(hostname);
  return (
    host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
  );
}

/** The host name without the brackets of an IPv6 address. */
export function bareHost(hostname: string): string {
  return hostname.toLowerCase().replace(/^\[|\]$/g, '');
}

export function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
}

export function proxyAuthorization(proxy: URL): Record<string, string> {
  if (proxy.username === '' && proxy.password === '') return {};
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
}

/** A dialer that asks the proxy for a tunnel. */
export function tunnelThrough(proxy: URL, ca?: string[]): Dial {
  return async ({ host, port, signal }) => {
    const { request } = await (proxy.protocol === 'https:' ? import('node:https') : import('node:http'));
    const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const where = `the proxy ${proxy.host}`;
    return await new Promise<Socket>((resolve, reject) => {
      const connect = request({
        host: bareHost(proxy.hostname),
        port: portOf(proxy),
        method: 'CONNECT',
        path: authority,
        headers: { host: authority, ...proxyAuthorization(proxy) },
        agent: false,
        signal,
        ca,
      });
      connect.once('connect', (response, socket: Socket, head) => {
        if (response.statusCode === 200 && head.length === 0) return resolve(socket);
        socket.destroy();
        reject(refusal(where, authority, response.statusCode ?? 0));
      });
      connect.once('response', (response) => {
        response.destroy();
        reject(refusal(where, authority, response.statusCode ?? 0));
      });
      connect.once('error', (error) => reject(unreachable(where, error)));
      connect.end();
    });
  };
}

function refusal(where: string, authority: string, status: number): HttpError {
  const advice =
    status === 407
      ? 'It wants a user name and password: write them into the proxy variable as http://user:password@host:port.'
      : 'Check the proxy variables, or list the host in NO_PROXY.';
  return new HttpError(
    'proxy',
    `${where} refused the connection to ${authority} (status ${status}). ${advice}`,
  );
}
