import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** The conditions of entry: the names the page is served under, and the secret it must send. */
export interface Entrance {
  /** `127.0.0.1:1234`: the only values of the header `Host`. */
  hosts: readonly string[];
  scheme: 'http' | 'https';
  token: string;
}

const TOKEN_HEADER = 'x-toolwright-token';

export interface RefusedRequest {
  status: 401 | 403 | 421;
  why: string;
}

/** Refuses a request that came under another host name, as one that was pointed at this address, or from another page. */
export function refuseStranger(
  headers: IncomingHttpHeaders,
  { hosts, scheme }: Entrance,
): RefusedRequest | null {
  const { host = '', origin } = headers;
  if (!hosts.includes(host)) return { status: 421, why: 'This server does not answer under that name.' };
  if (origin !== undefined && origin !== `${scheme}://${host}`)
    return { status: 403, why: 'Other pages may not ask this server.' };
  const site = headers['sec-fetch-site'];
  // Whoever follows a link comes from another site, and gets the page without anything in it.
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  if (site !== undefined && site !== 'same-origin' && site !== 'none' && !isNavigation)
    return { status: 403, why: 'Other pages may not ask this server.' };
  return null;
}

/** Refuses a request for data that does not carry the token of this start. */
export function refuseWithoutToken(headers: IncomingHttpHeaders, { token }: Entrance): RefusedRequest | null {
  const given = headers[TOKEN_HEADER];
  if (typeof given === 'string' && isSame(given, token)) return null;
  return {
    status: 401,
    why: 'The token is missing or is not the one of this start. Open the address that the program printed.',
  };
}

export function isSame(given: string, wanted: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(wanted)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** The headers of every response: the page loads, frames and runs nothing from elsewhere. */
export const safeHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
};
