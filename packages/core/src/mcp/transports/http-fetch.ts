import type { FetchLike } from '@modelcontextprotocol/client';
import type { Http, HttpResponse } from '../../host/http.js';

export interface FetchOptions {
  http: Http;
  /** Longest wait for a request that is no standing stream. */
  idleTimeoutMs: number;
  /** Largest message in an answer. */
  messageBytes: number;
  /** Ends every request that is still open. */
  signal: AbortSignal;
}

/** As long as a timer can wait: a stream of events may be silent for days. */
const STANDING_STREAM_MS = 2 ** 31 - 1;
const WITHOUT_BODY = new Set([204, 205, 304]);

/**
 * What the protocol library calls in place of the global `fetch`, which on Node 20 knows no proxies and has its own pool
 * of connections. Redirects are answers; the library decides about them.
 */
export function createFetch({ http, idleTimeoutMs, messageBytes, signal }: FetchOptions): FetchLike {
  return async (url, init = {}) => {
    const headers = Object.fromEntries(new Headers(init.headers).entries());
    const isStream = headers['accept']?.trim() === 'text/event-stream';
    const body = bodyOf(init.body);
    const response = await http.request({
      url,
      method: init.method ?? 'GET',
      headers: body?.type === undefined ? headers : { 'content-type': body.type, ...headers },
      signal: init.signal ? AbortSignal.any([init.signal, signal]) : signal,
      idleTimeoutMs: isStream ? STANDING_STREAM_MS : idleTimeoutMs,
      ...(body === undefined ? {} : { body: body.text }),
    });
    return asResponse(response, messageBytes);
  };
}

function bodyOf(body: unknown): { text: string; type?: string } | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string') return { text: body };
  if (body instanceof URLSearchParams)
    return { text: body.toString(), type: 'application/x-www-form-urlencoded;charset=UTF-8' };
  throw new TypeError('only text and forms can be sent');
}

function asResponse(response: HttpResponse, messageBytes: number): Response {
  const { status, headers } = response;
  if (WITHOUT_BODY.has(status)) {
    response.close();
    return new Response(null, { status, headers });
  }
  return new Response(streamOf(response, messageBytes), { status, headers });
}

function streamOf(response: HttpResponse, messageBytes: number): ReadableStream<Uint8Array> {
  const chunks = response.body[Symbol.asyncIterator]();
  const size = createMessageSize(response.headers['content-type'] ?? '');
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const step = await chunks.next();
      if (step.done) return controller.close();
      if (size(step.value) > messageBytes) {
        response.close();
        throw new Error(`the server sent a message of more than ${messageBytes} bytes`);
      }
      controller.enqueue(step.value);
    },
    cancel: () => response.close(),
  });
}

/** How long the message is that a chunk belongs to: a stream of events starts again with each blank line. */
function createMessageSize(contentType: string): (chunk: Uint8Array) => number {
  const isEvents = contentType.startsWith('text/event-stream');
  let size = 0;
  return (chunk) => {
    const border = isEvents ? lastBlankLine(chunk) : -1;
    size = border < 0 ? size + chunk.byteLength : chunk.byteLength - border;
    return size;
  };
}

function lastBlankLine(chunk: Uint8Array): number {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return Math.max(bytes.lastIndexOf('\n\n'), bytes.lastIndexOf('\n\r\n'));
}
