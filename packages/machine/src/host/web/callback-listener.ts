import type { Server } from 'node:http';
import { isNodeError } from '../../base/errors.js';
import { unlessAborted } from '../deadline.js';

export interface CallbackListener {
  /** The URL the browser is to return to. */
  readonly url: string;
  /** The query of the awaited visit. */
  received(signal: AbortSignal): Promise<URLSearchParams>;
  close(): void;
}

export interface CallbackOptions {
  /** 0 means any free port. */
  port: number;
  path: string;
  host?: '127.0.0.1' | 'localhost';
  /** Plain text for the page the user sees; null for a visit that is not the awaited one: another may still come. */
  answer(query: URLSearchParams): string | null;
}

const MOST_CONNECTIONS = 64;
const HEAD_LIMIT_MS = 10_000;
const NOT_AWAITED = 'This is not the answer that Toolwright waits for.';

/** Waits for one visit of the user's browser, on this machine only. Null when the port is taken. */
export async function listenForCallback(options: CallbackOptions): Promise<CallbackListener | null> {
  const { createServer } = await import('node:http');
  const { host = '127.0.0.1', path, answer } = options;
  let arrived: (query: URLSearchParams) => void = () => undefined;
  const visit = new Promise<URLSearchParams>((resolve) => {
    arrived = resolve;
  });
  const server = createServer({ connectionsCheckingInterval: 1_000 }, (request, response) => {
    const url = new URL(request.url ?? '/', 'http://callback');
    const isCallback = request.method === 'GET' && url.pathname === path;
    const text = isCallback ? answer(url.searchParams) : null;
    response.writeHead(text !== null ? 200 : isCallback ? 400 : 404, {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      connection: 'close',
    });
    response.end(text ?? (isCallback ? NOT_AWAITED : 'Nothing here.'));
    if (text !== null) arrived(url.searchParams);
  });
  // A browser needs few; a program that only opens connections must not use up descriptors.
  server.maxConnections = MOST_CONNECTIONS;
  server.headersTimeout = HEAD_LIMIT_MS;
  server.requestTimeout = HEAD_LIMIT_MS;
  const port = await listen(server, options.port);
  if (port === null) return null;
  return {
    url: `http://${host}:${port}${path}`,
    received: (signal) => unlessAborted(visit, signal),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function listen(server: Server, port: number): Promise<number | null> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      isNodeError(error, 'EADDRINUSE', 'EACCES') ? resolve(null) : reject(error),
    );
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : null);
    });
  });
}
