import { createInterface } from 'node:readline';

/** The least a server needs: newline-delimited JSON-RPC on standard input and output. */
export function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

export const objectSchema = (properties = {}) => ({ type: 'object', properties });

/**
 * Answers by method. A handler gives the result, or `undefined` to stay silent; its second argument is the id of the
 * request. Answers to what the server asked itself go to `onAnswer`.
 */
export function serve(name, handlers, { capabilities = { tools: { listChanged: true } }, onAnswer } = {}) {
  const all = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities,
      serverInfo: { name, version: '1.0.0' },
    }),
    ping: () => ({}),
    'tools/list': () => ({ tools: [] }),
    ...handlers,
  };
  createInterface({ input: process.stdin }).on('line', async (line) => {
    const { id, method, params, result: answer, error: refusal } = JSON.parse(line);
    if (method === undefined) return void onAnswer?.(id, answer ?? { error: refusal });
    const handler = all[method];
    if (id === undefined) return void handler?.(params);
    if (!handler) return send({ id, error: { code: -32601, message: `no ${method} here` } });
    try {
      const result = await handler(params ?? {}, id);
      if (result !== undefined) send({ id, result });
    } catch (error) {
      send({ id, error: { code: -32000, message: error.message } });
    }
  });
}

export const text = (value) => ({ content: [{ type: 'text', text: value }] });
