import { ToolError, type ToolErrorCode } from '@toolwright/machine/base/errors.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';

/** A function that the other end may call. */
export type RemoteFunction = (...args: never[]) => unknown;

/** Data that crosses as it is: nothing in it is searched for functions, and what can't be cloned is an error. */
export class PlainData {
  constructor(readonly value: unknown) {}
}

/** The connection's side of values that cross. */
export interface CrossingNeeds {
  /** Calls a function that the other end keeps. */
  call(id: number, args: unknown[]): Promise<unknown>;
  /** Tells the other end that a signal it was given is aborted. */
  abort(id: number, reason: unknown): void;
  /** Tells the other end that a function it keeps is no longer in use here. */
  forget(id: number): void;
}

const MARK = '~remote';

/** Makes messages of values and values of messages. Functions, signals and streams stay where they are and get a number. */
export class CrossingValues {
  readonly #needs: CrossingNeeds;
  readonly #kept = new Map<number, RemoteFunction>();
  readonly #signals = new Map<number, AbortController>();
  readonly #unused: FinalizationRegistry<number>;
  #lastId = 0;

  constructor(needs: CrossingNeeds) {
    this.#needs = needs;
    this.#unused = new FinalizationRegistry((id) => needs.forget(id));
  }

  /** A function of this end that the other end was given. */
  kept(id: number): RemoteFunction | undefined {
    return this.#kept.get(id);
  }

  forget(id: number): void {
    this.#kept.delete(id);
  }

  forgetSignals(ids: readonly number[]): void {
    for (const id of ids) this.#signals.delete(id);
  }

  abort(id: number, reason: unknown): void {
    this.#signals.get(id)?.abort(this.unpack(reason, []));
    this.#signals.delete(id);
  }

  /** `held` gets what lets go of each function and signal that was found. */
  pack(value: unknown, held: (() => void)[]): unknown {
    if (typeof value === 'function') return this.#packFunction(value as RemoteFunction, held);
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
    if (value instanceof PlainData) return { [MARK]: 'plain', value: value.value };
    if (value instanceof AbortSignal) return this.#packSignal(value, held);
    if (value instanceof Error) return packError(value);
    if (value instanceof URL) return value.href;
    if (Array.isArray(value)) return value.map((each) => this.pack(each, held));
    if (Symbol.asyncIterator in value) {
      const start = () => reader(value as AsyncIterable<unknown>);
      return { [MARK]: 'stream', start: this.pack(start, held) };
    }
    if (!isPlain(value)) return value;
    const entries = Object.entries(value).map(([name, each]) => [name, this.pack(each, held)] as const);
    return Object.hasOwn(value, MARK) ? { [MARK]: 'object', entries } : Object.fromEntries(entries);
  }

  /** `received` gets the id of each function and signal that was found. */
  unpack(value: unknown, received: number[]): unknown {
    if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    if (Array.isArray(value)) return value.map((each) => this.unpack(each, received));
    if (!isJsonObject(value) || !isPlain(value)) return value;
    switch (value[MARK]) {
      case 'plain':
        return value['value'];
      case 'function':
        return this.#unpackFunction(value['id'] as number, received);
      case 'signal':
        return this.#unpackSignal(value, received);
      case 'error':
        return unpackError(value);
      case 'stream':
        return stream(this.unpack(value['start'], received) as () => Promise<StreamReader>);
      case 'object':
        return this.#unpackEntries(value['entries'] as [string, unknown][], received);
      default:
        return this.#unpackEntries(Object.entries(value), received);
    }
  }

  #packFunction(value: RemoteFunction, held: (() => void)[]): object {
    const id = ++this.#lastId;
    this.#kept.set(id, value);
    held.push(() => this.#kept.delete(id));
    return { [MARK]: 'function', id };
  }

  #packSignal(signal: AbortSignal, held: (() => void)[]): object {
    const id = ++this.#lastId;
    if (signal.aborted) return { [MARK]: 'signal', id, reason: this.pack(signal.reason, []) };
    const stop = (): void => this.#needs.abort(id, this.pack(signal.reason, []));
    signal.addEventListener('abort', stop, { once: true });
    held.push(() => signal.removeEventListener('abort', stop));
    return { [MARK]: 'signal', id };
  }

  #unpackFunction(id: number, received: number[]): RemoteFunction {
    received.push(id);
    const remote = (...args: unknown[]) => this.#needs.call(id, args);
    this.#unused.register(remote, id);
    return remote;
  }

  #unpackSignal(value: JsonObject, received: number[]): AbortSignal {
    if ('reason' in value) return AbortSignal.abort(this.unpack(value['reason'], []));
    const id = value['id'] as number;
    const controller = new AbortController();
    received.push(id);
    this.#signals.set(id, controller);
    return controller.signal;
  }

  #unpackEntries(entries: [string, unknown][], received: number[]): object {
    return Object.fromEntries(entries.map(([name, each]) => [name, this.unpack(each, received)]));
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
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
  const error = Object.assign(new Error(String(message)), { name, stack });
  if (code !== undefined) Object.assign(error, { code });
  if (kind !== undefined) Object.assign(error, { kind });
  return error;
}
