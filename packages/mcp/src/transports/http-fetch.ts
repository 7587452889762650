import type { FetchLike } from '@modelcontextprotocol/client';
import type { Http, HttpResponse } from '@toolwright/machine/host/http/http.js';
import { createMessageScale } from './message-scale.js';

export interface FetchOptions {
  http: Http;
  /** Longest wait for a request that is no standing stream. */
  idleTimeoutMs: number;
  /** Largest message in an answer. */
  messageBytes: number;
  /** Called with the number of new messages; returns false when they are too many, and the answer is cut off. */
  admit(messages: number): boolean;
  /** Ends every request that is still open. */
  signal: AbortSignal;
}

/** The longest time of a timer: a stream of events may be silent for days. */
const STANDING_STREAM_MS = 2 ** 31 - 1;
const WITHOUT_BODY = new Set([204, 205, 304]);

/**
 * Makes the `fetch` that the protocol library calls in place of the global one, which on Node 20 knows no proxies and has its own pool of
 * connections. Redirects are answers; the library decides about them.
 */
export function createFetch(options: FetchOptions): FetchLike {
  const { http, idleTimeoutMs, signal } = options;
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
      body: body?.text,
    });
    return asResponse(response, options);
  };
}

function bodyOf(body: unknown): { text: string; type?: string } | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string') return { text: body };
  if (body instanceof URLSearchParams)
    return { text: body.toString(), type: 'application/x-www-form-urlencoded;charset=UTF-8' };
  throw new TypeError('only text and forms can be sent');
}

function asResponse(response: HttpResponse, bounds: Bounds): Response {
  const { status, headers } = response;
  if (WITHOUT_BODY.has(status)) {
    response.close();
    return new Response(null, { status, headers });
  }
  return new Response(streamOf(response, bounds), { status, headers });
}

type Bounds = Pick<FetchOptions, 'messageBytes' | 'admit'>;

function streamOf(response: HttpResponse, { messageBytes, admit }: Bounds): ReadableStream<Uint8Array> {
  const chunks = response.body[Symbol.asyncIterator]();
  const weigh = createMessageScale(response.headers['content-type'] ?? '');
  const cutOff = (why: string): never => {
    response.close();
    throw new Error(why);
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const step = await chunks.next();
      if (step.done) return controller.close();
      const { ended, bytes } = weigh(step.value);
      if (bytes > messageBytes) cutOff(`the server sent a message of more than ${messageBytes} bytes`);
      if (!admit(ended)) cutOff('the server sent too many messages');
      controller.enqueue(step.value);
    },
    cancel: () => response.close(),
  });
}
