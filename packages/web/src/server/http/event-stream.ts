import type { ServerResponse } from 'node:http';
import type { StreamEvent } from '../../wire/wire.js';
import { safeHeaders } from './guard.js';

export interface EventStream {
  send(event: StreamEvent): void;
  /** The page has gone. */
  readonly closed: AbortSignal;
}

const ALIVE_EVERY_MS = 15_000;
const MOST_UNREAD_BYTES = 16 * 1024 * 1024;

/** Server-sent events; the page reads them by fetch, because only that can send the token. */
export function openEventStream(response: ServerResponse): EventStream {
  const closing = new AbortController();
  response.writeHead(200, {
    ...safeHeaders,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
  });
  response.write(': open\n\n');
  const alive = setInterval(() => response.write(': alive\n\n'), ALIVE_EVERY_MS);
  response.on('close', () => {
    clearInterval(alive);
    closing.abort();
  });
  return {
    closed: closing.signal,
    send(event) {
      if (response.writableLength > MOST_UNREAD_BYTES) response.destroy();
      else response.write(`data: ${JSON.stringify(event)}\n\n`);
    },
  };
}
