import type { Readable, Writable } from 'node:stream';
import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionNotification,
} from '@agentclientprotocol/sdk';
import type { JsonObject } from '@toolwright/core';
import { isJsonObject } from '@toolwright/core/front-end';
import { AcpFailure, codes, type Failure, failureOf } from '../failures.js';
import { createMessageLines } from './message-lines.js';
import { problemOfParams, problemOfResult } from './shapes.js';

/** The requests to an editor, with their answers. */
export interface EditorAnswers {
  'session/request_permission': { params: RequestPermissionRequest; result: RequestPermissionResponse };
  'elicitation/create': { params: CreateElicitationRequest; result: CreateElicitationResponse };
}

/** The editor, for whoever tells or asks it something. */
export interface EditorClient {
  /** Rejects when the editor answers with an error, when it is gone, and at once when the signal fires. */
  request<Method extends keyof EditorAnswers>(
    method: Method,
    params: EditorAnswers[Method]['params'],
    signal: AbortSignal,
  ): Promise<EditorAnswers[Method]['result']>;
  /** Resolves when it was written. */
  notify(method: 'session/update', params: SessionNotification): Promise<void>;
}

/** A function that answers a request of the editor; its parameters have the shape that the protocol gives them. */
export type Answerer = (params: never, signal: AbortSignal) => unknown;

export interface PeerOptions {
  input: Readable;
  output: Writable;
  requests: Readonly<Record<string, Answerer>>;
  notifications: Readonly<Record<string, (params: never) => void>>;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

type RequestId = string | number | null;

const LONGEST_MESSAGE = 32 * 1024 * 1024;

/** An end of a JSON-RPC connection that has a message on each line. */
export class Peer implements EditorClient {
  /** Resolves when either side has ended the connection. */
  readonly closed: Promise<void>;
  readonly #options: PeerOptions;
  readonly #waiting = new Map<RequestId, Waiting>();
  readonly #working = new Map<RequestId, AbortController>();
  #lastId = 0;
  #isClosed = false;
  #tellClosed: () => void = () => undefined;

  constructor(options: PeerOptions) {
    this.#options = options;
    this.closed = new Promise((resolve) => {
      this.#tellClosed = resolve;
    });
    const { input, output } = options;
    const lines = createMessageLines(LONGEST_MESSAGE, {
      onMessage: (message) => this.#receive(message),
      onProblem: (problem) =>
        this.#refuse(
          problem === 'no JSON'
            ? { code: codes.parseError, message: 'This line is not JSON.' }
            : {
                code: codes.invalidRequest,
                message: `A message may have ${LONGEST_MESSAGE / 1024 / 1024} MB at most.`,
              },
        ),
    });
    input.on('data', (chunk: Uint8Array) => lines.add(chunk));
    input.once('end', () => lines.end());
    for (const event of ['end', 'close', 'error']) input.once(event, () => this.close());
    output.once('error', () => this.close());
  }

  async request<Method extends keyof EditorAnswers>(
    method: Method,
    params: EditorAnswers[Method]['params'],
    signal: AbortSignal,
  ): Promise<EditorAnswers[Method]['result']> {
    signal.throwIfAborted();
    if (this.#isClosed) throw gone();
    const id = ++this.#lastId;
    let stop: () => void = () => undefined;
    try {
      const result = await new Promise<unknown>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject });
        stop = () => {
          void this.#send({ method: CANCEL, params: { requestId: id } });
          reject(signal.reason);
        };
        signal.addEventListener('abort', stop, { once: true });
        void this.#send({ id, method, params });
      });
      const problem = problemOfResult(method, result);
      if (problem !== null) throw new AcpFailure(codes.internal, `the editor's answer: ${problem}`);
      return result as EditorAnswers[Method]['result'];
    } finally {
      this.#waiting.delete(id);
      signal.removeEventListener('abort', stop);
    }
  }

  notify(method: 'session/update', params: SessionNotification): Promise<void> {
    return this.#send({ method, params });
  }

  /** Ends the connection: what is asked of either side gets no answer any more. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const { reject } of this.#waiting.values()) reject(gone());
    for (const controller of this.#working.values()) controller.abort(gone());
    // An input that stays open would keep the program.
    this.#options.input.destroy();
    this.#tellClosed();
  }

  #send(message: object): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    const line = `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
    return new Promise((resolve) => void this.#options.output.write(line, () => resolve()));
  }

  #refuse(error: Failure): void {
    void this.#send({ id: null, error });
  }

  #receive(message: unknown): void {
    const problem = problemOfMessage(message);
    if (problem !== null) {
      this.#refuse({ code: codes.invalidRequest, message: problem });
      return;
    }
    const { id, method, params } = message as JsonObject;
    if (typeof method !== 'string') this.#settle(message as JsonObject);
    else if (id === undefined) this.#hear(method, params);
    else void this.#answer(id as RequestId, method, params);
  }

  #settle({ id, result, error }: JsonObject): void {
    const waiting = this.#waiting.get(id as RequestId);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(isJsonObject(error) ? String(error['message']) : 'an error'));
  }

  #hear(method: string, params: unknown): void {
    if (method === CANCEL) {
      const id = isJsonObject(params) ? params['requestId'] : undefined;
      this.#working.get(id as RequestId)?.abort();
      return;
    }
    const { notifications } = this.#options;
    if (!Object.hasOwn(notifications, method) || problemOfParams(method, params) !== null) return;
    notifications[method]!(params as never);
  }

  async #answer(id: RequestId, method: string, params: unknown): Promise<void> {
    const controller = new AbortController();
    this.#working.set(id, controller);
    try {
      await this.#send({ id, result: await this.#resultOf(method, params, controller.signal) });
    } catch (error) {
      const { code, message, data } = await failureOf(error);
      await this.#send({ id, error: { code, message, data } });
    } finally {
      if (this.#working.get(id) === controller) this.#working.delete(id);
    }
  }

  #resultOf(method: string, params: unknown, signal: AbortSignal): unknown {
    const { requests } = this.#options;
    if (!Object.hasOwn(requests, method))
      throw new AcpFailure(codes.methodNotFound, `There is no method ${JSON.stringify(method)} here.`);
    const problem = problemOfParams(method, params);
    if (problem !== null) throw new AcpFailure(codes.invalidParams, `Invalid parameters: ${problem}.`);
    return requests[method]!(withoutNulls(params ?? {}) as never, signal);
  }
}

const CANCEL = '$/cancel_request';

function gone(): Error {
  return new Error('the editor is gone');
}

/** Null for a request, a notification, or an answer, whatever else is wrong with it. */
function problemOfMessage(message: unknown): string | null {
  if (Array.isArray(message)) return 'Send each message on a line of its own.';
  if (!isJsonObject(message)) return 'A message must be an object.';
  const { jsonrpc, id, method } = message;
  const isAnswer =
    method === undefined && ['id', 'result', 'error'].some((key) => Object.hasOwn(message, key));
  if (isAnswer) return null;
  const isCall = jsonrpc === '2.0' && typeof method === 'string' && (id === undefined || isId(id));
  return isCall ? null : 'This is not a JSON-RPC 2.0 message.';
}

function isId(id: unknown): id is RequestId {
  return id === null || typeof id === 'string' || Number.isFinite(id);
}

/** The protocol lets null stand for what is left out. */
function withoutNulls(params: unknown): unknown {
  return Object.fromEntries(Object.entries(params as JsonObject).filter(([, value]) => value !== null));
}
