import type { FetchLike } from '@modelcontextprotocol/client';

/**
 * The library knows the place in a stream by the events of this connection: when a resumed one breaks before its first
 * event, it would ask without a place and lose the answer. So that event, without content, stands first again.
 */
export function keepPlace(fetch: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    const place = new Headers(init?.headers).get('last-event-id');
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    if (place === null || !response.ok || !isStream || !response.body) return response;
    const first = new TransformStream<Uint8Array, Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from(`id: ${place}\ndata:\n\n`)),
    });
    return new Response(response.body.pipeThrough(first), response);
  };
}
