import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isNodeError, SettingsError } from '../../base/errors.js';
import type { Log } from '../host.js';

export interface LoopbackServer {
  readonly port: number;
  /** Cuts open connections. */
  close(): Promise<void>;
}

export interface LoopbackOptions {
  /** 0 means any free port. */
  port: number;
  maxBodyBytes: number;
  /** A client that takes nothing of a response for so long is cut off; default: a minute. */
  stallLimitMs?: number;
  log: Log;
  /** Checks the head of a request before any of its body is read. */
  refusal(request: Request): Response | null;
  /** The request's signal fires when the client disconnects. */
  answer(request: Request, body: string): Promise<Response>;
}

const HEAD_LIMIT_MS = 10_000;
const BODY_LIMIT_MS = 60_000;
const STALL_LIMIT_MS = 60_000;
/** The interval at which Node looks for heads and bodies that take too long. */
const CHECK_INTERVAL_MS = 1_000;
const MOST_CONNECTIONS = 256;
/** Connections that have not been admitted yet; a further one replaces the oldest. */
const MOST_STRANGERS = 64;

/** An HTTP server that only this machine can reach. */
export async function listenOnLoopback(options: LoopbackOptions): Promise<LoopbackServer> {
  const { createServer } = await import('node:http');
  const strangers = new Set<Socket>();
  const server = createServer({ connectionsCheckingInterval: CHECK_INTERVAL_MS }, (incoming, outgoing) => {
    const onAdmitted = () => void strangers.delete(incoming.socket);
    respond(incoming, outgoing, { ...options, onAdmitted }).catch((error: unknown) => {
      options.log.error('an HTTP request failed', error);
      if (!outgoing.headersSent) outgoing.writeHead(500);
      outgoing.end();
    });
  });
  server.headersTimeout = HEAD_LIMIT_MS;
  server.requestTimeout = BODY_LIMIT_MS;
  server.maxConnections = MOST_CONNECTIONS;
  server.on('connection', (socket) => boundStrangers(strangers, socket));
  const port = await listen(server, options.port);
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Connections that say nothing must not keep out those that come with a token. */
function boundStrangers(strangers: Set<Socket>, newest: Socket): void {
  strangers.add(newest);
  newest.once('close', () => strangers.delete(newest));
  const [oldest] = strangers;
  if (strangers.size > MOST_STRANGERS) oldest?.destroy();
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      if (!isNodeError(error, 'EADDRINUSE', 'EACCES')) return reject(error);
      reject(new SettingsError(`Port ${port} can't be used: ${error.message}. Choose another one.`));
    });
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

async function respond(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  options: LoopbackOptions & { onAdmitted(): void },
): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  const request = toRequest(incoming, gone.signal);
  if (!request) return send(new Response('Not a request.', { status: 400 }), outgoing);
  const refused = options.refusal(request);
  if (refused) {
    incoming.resume();
    return send(refused, outgoing);
  }
  options.onAdmitted();
  const body = await readBody(incoming, options.maxBodyBytes);
  if (body === null) {
    const message = `The body is larger than ${options.maxBodyBytes} bytes.`;
    const error = { jsonrpc: '2.0', id: null, error: { code: -32_000, message } };
    return send(Response.json(error, { status: 413 }), outgoing);
  }
  await send(await options.answer(request, body), outgoing, options.stallLimitMs);
}

/** The head only; the body is read separately. */
function toRequest(
  { method = 'GET', url = '/', headers }: IncomingMessage,
  signal: AbortSignal,
): Request | null {
  try {
    const list = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    );
    return new Request(new URL(url, 'http://127.0.0.1'), { method, signal, headers: list });
  } catch {
    return null;
  }
}

/** Null when the body is too large; the rest is discarded, so that the client gets to read the response. */
function readBody(incoming: IncomingMessage, maxBytes: number): Promise<string | null> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) {
      size = maxBytes;
      resolve(null);
    }
    incoming.on('error', () => resolve(null));
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        chunks.length = 0;
        resolve(null);
      } else chunks.push(chunk);
    });
    incoming.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    // A client that disconnected reads no response.
    incoming.once('close', () => resolve(null));
  });
}

async function send(
  response: Response,
  outgoing: ServerResponse,
  stallLimitMs = STALL_LIMIT_MS,
): Promise<void> {
  outgoing.writeHead(response.status, {
    ...Object.fromEntries(response.headers),
    'cache-control': 'no-store',
  });
  outgoing.flushHeaders();
  const reader = response.body?.getReader();
  if (!reader) return void outgoing.end();
  outgoing.once('close', () => void reader.cancel().catch(() => undefined));
  outgoing.once('timeout', () => outgoing.destroy());
  for (;;) {
    const { done, value } = await reader.read();
    if (done || outgoing.destroyed) break;
    if (!outgoing.write(value)) await drained(outgoing, stallLimitMs);
  }
  outgoing.end();
}

/** The socket's own limit counts only while it is waited for: a stream may be silent as long as it likes. */
function drained(outgoing: ServerResponse, stallLimitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      outgoing.off('drain', done);
      outgoing.off('close', done);
      outgoing.setTimeout(0);
      resolve();
    };
    outgoing.once('drain', done);
    outgoing.once('close', done);
    outgoing.setTimeout(stallLimitMs);
  });
}
