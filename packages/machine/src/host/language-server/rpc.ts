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

/** Requests and notifications over one pair of streams. */
export function createRpc({ send, onNotification, onRequest, onBroken }: RpcOptions): Rpc {
  let ended: string | null = null;
  const sendMessage: SendMessage = (message) => send(toFrame({ jsonrpc: '2.0', ...message }));
  const requests = createOpenRequests(sendMessage);
  const frames = createFrames({
    onMessage(message) {
      const { id, method, params } = message;
      if (typeof method !== 'string') return requests.answer(message);
      if (id === undefined) return onNotification(method, params);
      sendMessage({ id, ...answered(method, onRequest(method, params)) });
    },
    onBroken(why) {
      end(why);
      onBroken(why);
    },
  });

  function end(why: string): void {
    ended ??= why;
    requests.failAll(ended);
  }

  return {
    async request(method, params, signal) {
      signal.throwIfAborted();
      if (ended !== null) throw new ServerFailure(ended);
      return requests.send(method, params, signal);
    },
    notify(method, params) {
      if (ended === null) sendMessage({ method, params: params as JsonObject });
    },
    receive: (bytes) => frames.add(bytes),
    end,
  };
}

type SendMessage = (message: JsonObject) => void;

function answered(method: string, answer: unknown): JsonObject {
  if (answer !== undefined) return { result: answer as JsonObject };
  return { error: { code: METHOD_NOT_FOUND, message: `${method} is not known here` } };
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** The requests that the server has not answered yet, by their ids. */
function createOpenRequests(sendMessage: SendMessage) {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  return {
    async send(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
      const id = ++lastId;
      let cancel: () => void = () => undefined;
      try {
        return await new Promise<unknown>((resolve, reject) => {
          waiting.set(id, { resolve, reject });
          cancel = () => {
            waiting.delete(id);
            sendMessage({ method: '$/cancelRequest', params: { id } });
            reject(signal.reason);
          };
          signal.addEventListener('abort', cancel, { once: true });
          sendMessage({ id, method, params: params as JsonObject });
        });
      } finally {
        signal.removeEventListener('abort', cancel);
      }
    },
    answer({ id, result, error }: JsonObject): void {
      const asked = typeof id === 'number' ? waiting.get(id) : undefined;
      if (!asked) return;
      waiting.delete(id as number);
      if (isJsonObject(error)) asked.reject(new ServerFailure(String(error['message'] ?? 'an error')));
      else asked.resolve(result);
    },
    failAll(why: string): void {
      for (const { reject } of waiting.values()) reject(new ServerFailure(why));
      waiting.clear();
    },
  };
}
