import { isJsonObject, type JsonObject } from '../../base/json.js';
import { createFrames, toFrame } from './frames.js';

/** The server answered with an error, or can't answer any more. */
export class ServerFailure extends Error {}

export interface Rpc {
  /** Rejects with a `ServerFailure`, or with the signal's reason, which also cancels the request. */
  request(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  notify(method: string, params: unknown): void;
  /** Bytes that the server wrote. */
  receive(bytes: Buffer): void;
  /** Fails everything that waits, now and later. */
  end(why: string): void;
}

export interface RpcOptions {
  send(bytes: Buffer): void;
  onNotification(method: string, params: unknown): void;
  /** The answer to a question of the server; undefined for a method that is not known here. */
  onRequest(method: string, params: unknown): unknown;
  onBroken(why: string): void;
}

const METHOD_NOT_FOUND = -32601;

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Requests and notifications over one pair of streams. */
export function createRpc({ send, onNotification, onRequest, onBroken }: RpcOptions): Rpc {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let ended: string | null = null;
  const sendMessage = (message: JsonObject): void => send(toFrame({ jsonrpc: '2.0', ...message }));

  function end(why: string): void {
    ended ??= why;
    for (const { reject } of waiting.values()) reject(new ServerFailure(ended));
    waiting.clear();
  }

  const frames = createFrames({
    onMessage(message) {
      const { id, method, params, result, error } = message;
      if (typeof method === 'string') {
        if (id === undefined) return onNotification(method, params);
        const answer = onRequest(method, params);
        const known = { id: id as number, result: (answer ?? null) as JsonObject };
        return sendMessage(
          answer === undefined
            ? { id: id as number, error: { code: METHOD_NOT_FOUND, message: `${method} is not known here` } }
            : known,
        );
      }
      const asked = typeof id === 'number' ? waiting.get(id) : undefined;
      if (!asked) return;
      waiting.delete(id as number);
      if (isJsonObject(error)) asked.reject(new ServerFailure(String(error['message'] ?? 'an error')));
      else asked.resolve(result);
    },
    onBroken(why) {
      end(why);
      onBroken(why);
    },
  });

  return {
    async request(method, params, signal) {
      signal.throwIfAborted();
      if (ended !== null) throw new ServerFailure(ended);
      const id = ++lastId;
      let stop: () => void = () => undefined;
      try {
        return await new Promise<unknown>((resolve, reject) => {
          waiting.set(id, { resolve, reject });
          stop = () => {
            waiting.delete(id);
            sendMessage({ method: '$/cancelRequest', params: { id } });
            reject(signal.reason);
          };
          signal.addEventListener('abort', stop, { once: true });
          sendMessage({ id, method, params: params as JsonObject });
        });
      } finally {
        signal.removeEventListener('abort', stop);
      }
    },
    notify(method, params) {
      if (ended === null) sendMessage({ method, params: params as JsonObject });
    },
    receive: (bytes) => frames.add(bytes),
    end,
  };
}
