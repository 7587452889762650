import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

/** The code of an error that no server sent: the stream that should have brought the answer ended without it. */
export const LOST_REQUEST = -32_099;

/**
 * Over HTTP each request has a stream of its own. When that ends without the answer, the request would wait until its
 * time limit; it is answered here instead.
 */
export function answerLostRequests(transport: Transport): void {
  const waiting = new Set<unknown>();
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    const id = 'method' in message && 'id' in message ? message.id : undefined;
    if (id === undefined) return send(message, options);
    waiting.add(id);
    const onRequestStreamEnd = () => {
      if (waiting.delete(id)) receive({ jsonrpc: '2.0', id, error: { code: LOST_REQUEST, message: 'lost' } });
    };
    try {
      await send(message, { ...options, onRequestStreamEnd });
    } catch (error) {
      waiting.delete(id);
      throw error;
    }
  };
  const receive = (message: JSONRPCMessage) => transport.onmessage?.(message);
  transport.onmessage = (message) => {
    if (!('method' in message) && 'id' in message) waiting.delete(message.id);
  };
}
