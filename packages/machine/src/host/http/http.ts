import type { ClientRequest, IncomingMessage } from 'node:http';
import { isNodeError } from '../../base/errors.js';
import type { Connections, HttpOptions } from './connections.js';
import { HttpError, silentFor, unreachable } from './http-error.js';

interface HttpRequest {
  url: string | URL;
  method?: string;
  headers?: Record<string, string | undefined>;
  body?: string | Uint8Array | readonly Uint8Array[];
  signal: AbortSignal;
  /** Longest silence of the server, before the headers and between chunks. */
  idleTimeoutMs?: number;
}

export interface HttpResponse {
  status: number;
  /** Names are in lower case. */
  headers: Record<string, string>;
  url: string;
  /** Must be read to its end or cancelled with `close`. Decompressed if the server compressed it. */
  body: AsyncIterable<Uint8Array>;
  close(): void;
}

export interface Http {
  /** Resolves for any status; redirects are not followed. Throws `HttpError`, or the abort reason. */
  request(request: HttpRequest): Promise<HttpResponse>;
}

const DEFAULT_IDLE_MS = 120_000;

/** An HTTP client on node:http(s). Connections are reused; `close` ends idle ones. */
export function createHttp(options: HttpOptions = {}): Http & { close(): void } {
  let connections: Promise<Connections> | null = null;
  return {
    request: async (request) => {
      connections ??= import('./connections.js').then((module) => module.createConnections(options));
      return await perform(request, await connections);
    },
    close: () => {
      void connections?.then((made) => made.close());
    },
  };
}

async function perform(request: HttpRequest, connections: Connections): Promise<HttpResponse> {
  const url = parseUrl(request.url);
  const { signal, idleTimeoutMs = DEFAULT_IDLE_MS } = request;
  signal.throwIfAborted();
  const sending = { request, url, connections, idleTimeoutMs };
  const incoming = await sendOnce(sending).catch((error: unknown) => {
    // The server may have closed a kept connection at the moment it was reused.
    if (!(error instanceof StaleConnection)) throw error;
    return sendOnce(sending);
  });
  try {
    const { readBody } = await import('./body.js');
    const { chunks, close } = await readBody({ incoming, where: url.host, signal, idleTimeoutMs });
    return {
      status: incoming.statusCode ?? 0,
      headers: headersOf(incoming),
      url: url.href,
      body: chunks,
      close,
    };
  } catch (error) {
    incoming.destroy();
    throw error;
  }
}

function parseUrl(address: string | URL): URL {
  let url: URL;
  try {
    url = new URL(address);
  } catch (error) {
    throw new HttpError('invalid', `"${String(address).slice(0, 200)}" is not an address.`, { cause: error });
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new HttpError('invalid', `Only http and https addresses can be reached, not ${url.protocol}`);
  }
  return url;
}

class StaleConnection extends HttpError {}

interface Sending {
  request: HttpRequest;
  url: URL;
  connections: Connections;
  idleTimeoutMs: number;
}

function sendOnce({ request, url, connections, idleTimeoutMs }: Sending): Promise<IncomingMessage> {
  const { signal, body } = request;
  return new Promise((resolve, reject) => {
    const dialing = new AbortController();
    const method = request.method ?? (body === undefined ? 'GET' : 'POST');
    const headers = { ...sizeHeader(body), ...presentOnly(request.headers ?? {}) };
    const outgoing = connections.open({ url, method, headers, dialSignal: dialing.signal });
    const stop = (reason: unknown) => {
      settle();
      reject(reason);
      dialing.abort(reason);
      outgoing.destroy();
    };
    const onAbort = () => stop(signal.reason);
    const silence = watchSilence(outgoing, idleTimeoutMs, () => stop(silentFor(url.host, idleTimeoutMs)));
    const settle = () => {
      silence.stop();
      signal.removeEventListener('abort', onAbort);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    outgoing.once('response', (incoming) => {
      settle();
      resolve(incoming);
    });
    outgoing.on('error', (error) => {
      settle();
      const failure = unreachable(url.host, error);
      const stale = outgoing.reusedSocket && isNodeError(error, 'ECONNRESET', 'EPIPE');
      reject(stale ? new StaleConnection(failure.kind, failure.message, { cause: error }) : failure);
    });
    writeBody(outgoing, body);
  });
}

function sizeHeader(body: HttpRequest['body']): Record<string, string> {
  if (body === undefined) return {};
  if (typeof body === 'string') return { 'content-length': String(Buffer.byteLength(body)) };
  const chunks = body instanceof Uint8Array ? [body] : body;
  return { 'content-length': String(chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0)) };
}

function writeBody(outgoing: ClientRequest, body: HttpRequest['body']): void {
  if (body === undefined) outgoing.end();
  else if (typeof body === 'string' || body instanceof Uint8Array) outgoing.end(body);
  else {
    outgoing.cork();
    for (const chunk of body) outgoing.write(chunk);
    outgoing.end();
  }
}

/** A large body on a slow line is not silence: while bytes are being sent, the wait starts again. */
function watchSilence(outgoing: ClientRequest, limitMs: number, onSilence: () => void): { stop(): void } {
  let sent = 0;
  let timer: NodeJS.Timeout;
  const check = () => {
    const socket = outgoing.socket;
    const now = socket && !socket.connecting ? socket.bytesWritten : 0;
    if (outgoing.writableFinished || now === sent) return onSilence();
    sent = now;
    start();
  };
  const start = () => {
    clearTimeout(timer);
    timer = setTimeout(check, limitMs);
  };
  outgoing.once('finish', start);
  start();
  return {
    stop: () => {
      clearTimeout(timer);
      outgoing.removeListener('finish', start);
    },
  };
}

/** The request of Node refuses a header that is undefined. */
function presentOnly(headers: Record<string, string | undefined>): Record<string, string> {
  const present = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as Record<string, string>;
}

function headersOf(incoming: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return headers;
}
