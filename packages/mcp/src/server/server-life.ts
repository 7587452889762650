import { type AbortReason, ToolError } from '@toolwright/machine/base/errors.js';
import { unlessAborted } from '@toolwright/machine/host/deadline.js';
import type { Clock } from '@toolwright/machine/host/host.js';
import type { Session } from '../session/session.js';
import { nextState, type ServerEvent, type ServerState, stepFor } from './server-state.js';

/**
 * The life of a server: started by whoever needs it first, shared, started again after it was lost, and stopped when nobody has used it for
 * a while. Nothing happens in the background.
 */
export interface ServerLife {
  readonly state: ServerState<Session>;
  /** The latest session, alive or not; null before the first. */
  readonly latest: Session | null;
  /** The server is not stopped while the work lasts. */
  use<Result>(work: (session: Session) => Promise<Result>, signal: AbortSignal): Promise<Result>;
  /** A failure no longer keeps the next use from trying. */
  forgive(): void;
  /** Ends the server where it runs; the next use starts it again. Throws while somebody uses it. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

export interface ServerLifeOptions {
  alias: string;
  clock: Clock;
  /** The signal is bound to the life of the server, not to whoever happens to need it. */
  open(signal: AbortSignal): Promise<Session>;
  /** Called before those who wait hear of the failure. */
  onFailure?(error: unknown): Promise<void>;
  /** The server is stopped after so long without a use; never unless given. */
  idleMs?: number;
  /** After a failure the server is not tried again for so long; tried at once unless given. */
  retryMs?: number;
}

const SHUTDOWN: AbortReason = { kind: 'shutdown' };

export function createServerLife(options: ServerLifeOptions): ServerLife {
  return new StartedWhenNeeded(options);
}

class StartedWhenNeeded implements ServerLife {
  state: ServerState<Session> = { at: 'not started' };
  latest: Session | null = null;
  #starting: Promise<Session> | null = null;
  #stopping: Promise<void> | null = null;
  /** Made with the first start: most servers of a session are never started. */
  #life: AbortController | null = null;
  #idling: AbortController | null = null;
  #users = 0;

  constructor(private readonly options: ServerLifeOptions) {}

  async use<Result>(work: (session: Session) => Promise<Result>, signal: AbortSignal): Promise<Result> {
    this.#users += 1;
    this.#idling?.abort(SHUTDOWN);
    try {
      return await work(await this.#session(signal));
    } finally {
      this.#users -= 1;
      this.#stopWhenIdle();
    }
  }

  forgive(): void {
    this.#on({ kind: 'forgive' });
  }

  async stop(): Promise<void> {
    if (this.#users > 0)
      throw new ToolError(
        'conflict',
        `The MCP server "${this.options.alias}" is in use. Wait until its call has ended.`,
      );
    this.#idling?.abort(SHUTDOWN);
    if (this.state.at === 'ready' || this.state.at === 'lost') await (this.#stopping = this.#stop());
  }

  async close(): Promise<void> {
    this.#on({ kind: 'close', error: wasShutDown(this.options.alias) });
    this.#idling?.abort(SHUTDOWN);
    this.#life?.abort(SHUTDOWN);
    await this.#starting?.catch(() => undefined);
    await this.latest?.close();
  }

  #on(event: ServerEvent<Session>): void {
    this.state = nextState(this.state, event);
  }

  async #session(signal: AbortSignal): Promise<Session> {
    signal.throwIfAborted();
    const step = stepFor(this.state, this.options.clock.now());
    switch (step.do) {
      case 'use':
        return step.session;
      case 'refuse':
        throw step.error;
      case 'start':
        this.#starting = this.#start((this.#life ??= new AbortController()));
        return unlessAborted(this.#starting, signal);
      case 'wait':
        if (this.#starting) return unlessAborted(this.#starting, signal);
        await unlessAborted(this.#stopping ?? Promise.resolve(), signal);
        return this.#session(signal);
    }
  }

  async #start({ signal }: AbortController): Promise<Session> {
    try {
      this.#on({ kind: 'start' });
      // The old process must be gone first: two of them may fight over a port, a file or a lock.
      await this.latest?.close();
      const session = await this.options.open(signal);
      this.latest = session;
      signal.throwIfAborted();
      this.#on({ kind: 'opened', session });
      session.onEnd = () => this.#on({ kind: 'ended', session });
      if (session.ending() !== null) session.onEnd();
      // The caller may have given up meanwhile.
      this.#stopWhenIdle();
      return session;
    } catch (error) {
      throw signal.aborted ? wasShutDown(this.options.alias) : await this.#failed(error);
    } finally {
      this.#starting = null;
    }
  }

  async #failed(error: unknown): Promise<unknown> {
    const { clock, retryMs = 0, onFailure } = this.options;
    const retryAt = clock.now() + retryMs;
    try {
      await onFailure?.(error);
    } finally {
      this.#on({ kind: 'failed', error, retryAt });
    }
    return error;
  }

  #stopWhenIdle(): void {
    const { clock, idleMs } = this.options;
    const isUp = this.state.at === 'ready' || this.state.at === 'lost';
    if (this.#users > 0 || idleMs === undefined || !isUp) return;
    this.#idling = new AbortController();
    clock.sleep(idleMs, this.#idling.signal).then(
      () => {
        if (this.#users === 0) this.#stopping = this.#stop();
      },
      () => undefined,
    );
  }

  async #stop(): Promise<void> {
    this.#on({ kind: 'stop' });
    await this.latest?.close();
    this.#on({ kind: 'stopped' });
  }
}

function wasShutDown(alias: string): ToolError {
  return new ToolError('failed', `The MCP server "${alias}" was shut down.`);
}
