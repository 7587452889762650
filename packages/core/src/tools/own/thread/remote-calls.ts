import type { MessagePort, Worker } from 'node:worker_threads';
import { ToolError, type ToolErrorCode } from '@toolwright/machine/base/errors.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';

/** One end of a thread: the worker as the program sees it, or the port to the program as the worker sees it. */
export type ThreadEnd = Worker | MessagePort;

/** A function that the other end may call. */
export type RemoteFunction = (...args: never[]) => unknown;

export interface RemoteCalls {
  /** Calls a function that the other end exposes. Signals, functions and streams may be among the arguments and in the result. */
  call(name: string, ...args: unknown[]): Promise<unknown>;
  /** Fails every open call. */
  close(error: Error): void;
}

type Message =
  | { type: 'call'; id: number; target: string | number; args: unknown }
  | { type: 'result'; id: number; value: unknown }
  | { type: 'failure'; id: number; error: unknown }
  | { type: 'abort'; id: number; reason: unknown }
  | { type: 'forget'; id: number };

interface AwaitedCall {
  resolve(value: unknown): void;
  reject(error: unknown): void;
  /** Lets go of the functions and signals among the arguments. */
  release(): void;
}

/** Data that crosses as it is: nothing in it is searched for functions, and what can't be cloned is an error. */
export class PlainData {
  constructor(readonly value: unknown) {}
}

const MARK = '~remote';

/** Calls in both directions between two threads. */
export function connectThreads(end: ThreadEnd, exposed: Record<string, RemoteFunction>): RemoteCalls {
  const open = new Map<number, AwaitedCall>();
  const kept = new Map<number, RemoteFunction>();
  const signals = new Map<number, AbortController>();
  const forgotten = new FinalizationRegistry<number>((id) => post({ type: 'forget', id }));
  let lastId = 0;
  const post = (message: Message): void => end.postMessage(message);

  function call(target: string | number, args: unknown[]): Promise<unknown> {
    const id = ++lastId;
    const releases: (() => void)[] = [];
    return new Promise((resolve, reject) => {
      open.set(id, { resolve, reject, release: () => letGo(releases) });
      try {
        post({ type: 'call', id, target, args: pack(args, releases) });
      } catch (error) {
        open.delete(id);
        reject(error);
      }
    });
  }

  async function answer({ id, target, args }: Extract<Message, { type: 'call' }>): Promise<void> {
    const received: number[] = [];
    try {
      const work = typeof target === 'string' ? exposed[target] : kept.get(target);
      const value: unknown = await work?.(...(unpack(args, received) as never[]));
      const held: (() => void)[] = [];
      post({ type: 'result', id, value: pack(value, held) });
      // A stream or an open file goes on under the signal it was asked for with.
      if (held.length > 0) return;
    } catch (error) {
      post({ type: 'failure', id, error: pack(error, []) });
    }
    for (const signal of received) signals.delete(signal);
  }

  function settle(id: number, how: (call: AwaitedCall) => void): void {
    const waiting = open.get(id);
    open.delete(id);
    if (waiting) how(waiting);
  }

  (end as MessagePort).on('message', (message: Message) => {
    switch (message.type) {
      case 'call':
        return void answer(message);
      case 'result':
        return settle(message.id, ({ resolve, release }) => {
          const received: number[] = [];
          resolve(unpack(message.value, received));
          if (received.length === 0) release();
        });
      case 'failure':
        return settle(message.id, ({ reject, release }) => {
          release();
          reject(unpack(message.error, []));
        });
      case 'abort':
        signals.get(message.id)?.abort(unpack(message.reason, []));
        return void signals.delete(message.id);
      case 'forget':
        return void kept.delete(message.id);
    }
  });

  /** `held` gets what lets go of each function and signal that was found. */
  function pack(value: unknown, held: (() => void)[]): unknown {
    if (typeof value === 'function') return packFunction(value as RemoteFunction, held);
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
    if (value instanceof PlainData) return { [MARK]: 'plain', value: value.value };
    if (value instanceof AbortSignal) return packSignal(value, held);
    if (value instanceof Error) return packError(value);
    if (value instanceof URL) return value.href;
    if (Array.isArray(value)) return value.map((each) => pack(each, held));
    if (Symbol.asyncIterator in value) {
      const start = () => reader(value as AsyncIterable<unknown>);
      return { [MARK]: 'stream', start: pack(start, held) };
    }
    if (!isPlain(value)) return value;
    const entries = Object.entries(value).map(([name, each]) => [name, pack(each, held)] as const);
    return Object.hasOwn(value, MARK) ? { [MARK]: 'object', entries } : Object.fromEntries(entries);
  }

  function packFunction(value: RemoteFunction, held: (() => void)[]): object {
    const id = ++lastId;
    kept.set(id, value);
    held.push(() => kept.delete(id));
    return { [MARK]: 'function', id };
  }

  function packSignal(signal: AbortSignal, held: (() => void)[]): object {
    const id = ++lastId;
    if (signal.aborted) return { [MARK]: 'signal', id, reason: pack(signal.reason, []) };
    const stop = (): void => post({ type: 'abort', id, reason: pack(signal.reason, []) });
    signal.addEventListener('abort', stop, { once: true });
    held.push(() => signal.removeEventListener('abort', stop));
    return { [MARK]: 'signal', id };
  }

  /** `received` gets the id of each function and signal that was found. */
  function unpack(value: unknown, received: number[]): unknown {
    if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    if (Array.isArray(value)) return value.map((each) => unpack(each, received));
    if (!isJsonObject(value) || !isPlain(value)) return value;
    switch (value[MARK]) {
      case 'plain':
        return value['value'];
      case 'function':
        return unpackFunction(value['id'] as number, received);
      case 'signal':
        return unpackSignal(value, received);
      case 'error':
        return unpackError(value);
      case 'stream':
        return stream(unpack(value['start'], received) as () => Promise<StreamReader>);
      default: {
        const entries = (value[MARK] === 'object' ? value['entries'] : Object.entries(value)) as [
          string,
          unknown,
        ][];
        return Object.fromEntries(entries.map(([name, each]) => [name, unpack(each, received)]));
      }
    }
  }

  function unpackFunction(id: number, received: number[]): RemoteFunction {
    received.push(id);
    const remote = (...args: unknown[]) => call(id, args);
    forgotten.register(remote, id);
    return remote;
  }

  function unpackSignal(value: JsonObject, received: number[]): AbortSignal {
    if ('reason' in value) return AbortSignal.abort(unpack(value['reason'], []));
    const controller = new AbortController();
    received.push(value['id'] as number);
    signals.set(value['id'] as number, controller);
    return controller.signal;
  }

  return {
    call: (name, ...args) => call(name, args),
    close(error) {
      for (const id of [...open.keys()])
        settle(id, ({ reject, release }) => {
          release();
          reject(error);
        });
    },
  };
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function letGo(releases: readonly (() => void)[]): void {
  for (const release of releases) release();
}

interface StreamReader {
  next(): Promise<IteratorResult<unknown>>;
  end(): Promise<unknown>;
}

function reader(stream: AsyncIterable<unknown>): StreamReader {
  const iterator = stream[Symbol.asyncIterator]();
  return { next: () => iterator.next(), end: async () => void (await iterator.return?.()) };
}

async function* stream(start: () => Promise<StreamReader>): AsyncGenerator<unknown> {
  const { next, end } = await start();
  try {
    for (let step = await next(); !step.done; step = await next()) yield step.value;
  } finally {
    await end();
  }
}

function packError(error: Error): object {
  const { name, message, stack, code, kind } = error as Error & { code?: unknown; kind?: unknown };
  const [knownCode, knownKind] = [code, kind].map((each) => (typeof each === 'string' ? each : undefined));
  return { [MARK]: 'error', name, message, stack, code: knownCode, kind: knownKind };
}

function unpackError({ name, message, stack, code, kind }: JsonObject): Error {
  if (name === 'ToolError') return new ToolError(code as ToolErrorCode, String(message));
  const members = {
    name,
    stack,
    ...(code === undefined ? {} : { code }),
    ...(kind === undefined ? {} : { kind }),
  };
  return Object.assign(new Error(String(message)), members);
}
