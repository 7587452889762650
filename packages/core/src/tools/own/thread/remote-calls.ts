import type { MessagePort, Worker } from 'node:worker_threads';
import { CrossingValues, type RemoteFunction } from './crossing-values.js';

/** An end of a thread: the worker as the program sees it, or the port to the program as the worker sees it. */
export type ThreadEnd = Worker | MessagePort;

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

/** Calls in both directions between two threads. */
export class RemoteCalls {
  readonly #end: ThreadEnd;
  readonly #exposed: Record<string, RemoteFunction>;
  readonly #open = new Map<number, AwaitedCall>();
  readonly #values = new CrossingValues({
    call: (id, args) => this.#call(id, args),
    abort: (id, reason) => this.#post({ type: 'abort', id, reason }),
    forget: (id) => this.#post({ type: 'forget', id }),
  });
  #lastId = 0;

  /** `exposed` are the functions that the other end may call by name. */
  constructor(end: ThreadEnd, exposed: Record<string, RemoteFunction>) {
    this.#end = end;
    this.#exposed = exposed;
    (end as MessagePort).on('message', (message: Message) => this.#take(message));
  }

  /** Calls a function that the other end exposes. Signals, functions and streams may be among the arguments and in the result. */
  call(name: string, ...args: unknown[]): Promise<unknown> {
    return this.#call(name, args);
  }

  /** Fails every open call. */
  close(error: Error): void {
    for (const id of [...this.#open.keys()]) this.#reject(id, error);
  }

  #post(message: Message): void {
    this.#end.postMessage(message);
  }

  #call(target: string | number, args: unknown[]): Promise<unknown> {
    const id = ++this.#lastId;
    const held: (() => void)[] = [];
    const release = (): void => {
      for (const letGo of held) letGo();
    };
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject, release });
      try {
        this.#post({ type: 'call', id, target, args: this.#values.pack(args, held) });
      } catch (error) {
        this.#reject(id, error);
      }
    });
  }

  #take(message: Message): void {
    switch (message.type) {
      case 'call':
        void this.#answer(message);
        break;
      case 'result':
        this.#resolve(message.id, message.value);
        break;
      case 'failure':
        this.#reject(message.id, this.#values.unpack(message.error, []));
        break;
      case 'abort':
        this.#values.abort(message.id, message.reason);
        break;
      case 'forget':
        this.#values.forget(message.id);
    }
  }

  async #answer({ id, target, args }: Extract<Message, { type: 'call' }>): Promise<void> {
    const received: number[] = [];
    try {
      const work = typeof target === 'string' ? this.#exposed[target] : this.#values.kept(target);
      const value: unknown = await work?.(...(this.#values.unpack(args, received) as never[]));
      const held: (() => void)[] = [];
      this.#post({ type: 'result', id, value: this.#values.pack(value, held) });
      // A stream or an open file goes on under the signal it was asked for with.
      if (held.length > 0) return;
    } catch (error) {
      this.#post({ type: 'failure', id, error: this.#values.pack(error, []) });
    }
    this.#values.forgetSignals(received);
  }

  #resolve(id: number, packed: unknown): void {
    const waiting = this.#settled(id);
    const received: number[] = [];
    waiting?.resolve(this.#values.unpack(packed, received));
    if (received.length === 0) waiting?.release();
  }

  #reject(id: number, error: unknown): void {
    const waiting = this.#settled(id);
    waiting?.release();
    waiting?.reject(error);
  }

  #settled(id: number): AwaitedCall | undefined {
    const waiting = this.#open.get(id);
    this.#open.delete(id);
    return waiting;
  }
}
