import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { describeAbort } from '@toolwright/machine/base/errors.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import type { McpProgress } from '../contract/connection.js';
import { jsonErrorIn, ServerAnswerError } from './describe-error.js';
import type { RequestOptions } from './session.js';

/** The revision of the protocol without a handshake: each request says everything about the connection. */
export const NEWEST_REVISION = '2026-07-28';
export const OURSELVES = { name: 'toolwright', version: '0.1.0' };

/** Requests and their answers in the newer revision. Results come as they were sent; nothing in them was looked at. */
export interface NewerWire {
  request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject>;
  /** Lets go of the transport, which stays open for somebody else. */
  release(): void;
}

export interface NewerWireOptions {
  transport: Transport;
  /** A pipe carries word that nobody waits any more; over HTTP the request is broken off. */
  isPipe: boolean;
  capabilities: JsonObject;
  /** The server is asked for log lines with every request. */
  wantsLog: boolean;
  onNotification(method: string, params: JsonObject): void;
}

interface Waiting {
  resolve(result: JsonObject): void;
  reject(error: unknown): void;
  onProgress: RequestOptions['onProgress'];
  onAcknowledged: RequestOptions['onAcknowledged'];
}

export async function openNewerWire(options: NewerWireOptions): Promise<NewerWire> {
  const { transport } = options;
  const waiting = new Map<unknown, Waiting>();
  const { onmessage, onclose } = transport;
  transport.onmessage = (message) => {
    onmessage?.(message);
    if (!('method' in message)) settle(waiting, message);
    else if (!('id' in message)) hear(waiting, message, options);
  };
  transport.onclose = () => {
    onclose?.();
    for (const { reject } of waiting.values()) reject(new Error('the connection was closed'));
    waiting.clear();
  };
  await transport.start();
  let count = 0;
  return {
    request(method, params, given) {
      // Text: the numbers belong to the library, should the server turn out to be an older one.
      const id = `request-${++count}`;
      return send(options, waiting, { id, method, params, ...given });
    },
    release() {
      transport.onmessage = onmessage;
      transport.onclose = onclose;
      transport.start = async () => undefined;
    },
  };
}

interface Outgoing extends RequestOptions {
  id: string;
  method: string;
  params: JsonObject;
}

async function send(
  { transport, isPipe, capabilities, wantsLog }: NewerWireOptions,
  waiting: Map<unknown, Waiting>,
  { id, method, params, signal, onProgress, onAcknowledged, headers }: Outgoing,
): Promise<JsonObject> {
  signal.throwIfAborted();
  const broken = new AbortController();
  const answered = new Promise<JsonObject>((resolve, reject) => {
    waiting.set(id, { resolve, reject, onProgress, onAcknowledged });
  });
  const stop = (): void => {
    const reason = typeof signal.reason === 'string' ? signal.reason : describeAbort(signal);
    if (isPipe)
      void transport
        .send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason } })
        .catch(() => undefined);
    broken.abort(signal.reason);
    waiting.get(id)?.reject(signal.reason);
  };
  signal.addEventListener('abort', stop, { once: true });
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': NEWEST_REVISION,
    'io.modelcontextprotocol/clientInfo': OURSELVES,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    'io.modelcontextprotocol/logLevel': wantsLog ? 'info' : undefined,
    progressToken: onProgress && id,
  };
  const message = { jsonrpc: '2.0', id, method, params: { ...params, _meta } } as unknown as JSONRPCMessage;
  transport.send(message, { requestSignal: broken.signal, headers }).catch((error: unknown) => {
    waiting.get(id)?.reject(jsonErrorIn(error) ?? error);
  });
  try {
    return await answered;
  } finally {
    waiting.delete(id);
    signal.removeEventListener('abort', stop);
  }
}

function settle(waiting: Map<unknown, Waiting>, message: JSONRPCMessage): void {
  const found = 'id' in message ? waiting.get(message.id) : undefined;
  if (!found) return;
  const result = 'result' in message ? message.result : undefined;
  if ('error' in message) {
    const { code, message: text, data } = message.error;
    found.reject(new ServerAnswerError(code, text, data));
  } else if (isJsonObject(result)) found.resolve(result);
  else found.reject(new Error('it answered with a result that is not an object'));
}

function hear(
  waiting: Map<unknown, Waiting>,
  { method, params }: { method: string; params?: unknown },
  { onNotification }: NewerWireOptions,
): void {
  const said = isJsonObject(params) ? params : {};
  const progress = method === 'notifications/progress' ? progressIn(said) : null;
  if (progress) waiting.get(said['progressToken'])?.onProgress?.(progress);
  else if (method === 'notifications/subscriptions/acknowledged')
    waiting.get(subscriptionIn(said))?.onAcknowledged?.(said);
  else onNotification(method, said);
}

/** The request that opened the subscription. */
function subscriptionIn({ _meta }: JsonObject): unknown {
  return isJsonObject(_meta) ? _meta['io.modelcontextprotocol/subscriptionId'] : undefined;
}

function progressIn({ progress, total, message }: JsonObject): McpProgress | null {
  if (typeof progress !== 'number') return null;
  return {
    progress,
    total: typeof total === 'number' ? total : undefined,
    message: typeof message === 'string' ? message : undefined,
  };
}
