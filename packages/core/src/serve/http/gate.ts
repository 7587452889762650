import { createHash, timingSafeEqual } from 'node:crypto';

/** Names under which this machine reaches itself. */
const loopback = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** The one path that is served. */
export const PATH = '/mcp';

/** The response that refuses a request; null when the request may pass. */
export function refusalOf(request: Request, token: string): Response | null {
  const { headers, url } = request;
  if (!loopback.has(hostnameOf(`http://${headers.get('host') ?? ''}`)))
    return refuse(403, 'This server answers on this machine only: the Host header names another one.');
  const origin = headers.get('origin');
  if (origin !== null && !loopback.has(hostnameOf(origin)))
    return refuse(403, 'Requests from other web pages are not answered.');
  if (new URL(url).pathname !== PATH)
    return refuse(404, `There is nothing here; the address ends in ${PATH}.`);
  const [scheme = '', given = ''] = (headers.get('authorization') ?? '').split(' ');
  if (scheme.toLowerCase() !== 'bearer' || !isSame(given, token)) {
    const message = 'The token is missing or wrong: send it as "Authorization: Bearer TOKEN".';
    return refuse(401, message, { 'www-authenticate': 'Bearer realm="toolwright"' });
  }
  return null;
}

export function refuse(status: number, message: string, headers: Record<string, string> = {}): Response {
  const body = { jsonrpc: '2.0', id: null, error: { code: -32_000, message } };
  return Response.json(body, { status, headers });
}

function hostnameOf(address: string): string {
  try {
    return new URL(address).hostname;
  } catch {
    return '';
  }
}

/** Compares the tokens in a time that does not depend on how much of them is the same. */
function isSame(given: string, token: string): boolean {
  const [left, right] = [given, token].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(left!, right!);
}
