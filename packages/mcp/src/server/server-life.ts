import { type AbortReason, ToolError } from '@toolwright/machine/base/errors.js';
import { unlessAborted } from '@toolwright/machine/host/deadline.js';
import type { Clock } from '@toolwright/machine/host/host.js';
import type { Session } from '../session/session.js';
import { nextState, type ServerEvent, type ServerState, stepFor } from './server-state.js';

/**
 * One server, as long as it is wanted: started by whoever needs it first, shared, started again after it was lost, and
 * stopped when nobody has used it for a while. Nothing happens in the background.
 */
export interface ServerLife {
  readonly state: ServerState<Session>;
  /** The latest session, alive or not; null before the first. */
  readonly latest: Session | null;
  /** The server is not stopped while the work lasts. */
  use<Result>(work: (session: Session) => Promise<Result>, signal: AbortSignal): Promise<Result>;
  /** A failure no longer keeps the next use from trying. */
  forgive(): void;
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
  const { alias, clock, idleMs, retryMs = 0 } = options;
  let state: ServerState<Session> = { at: 'not started' };
  let latest: Session | null = null;
  let starting: Promise<Session> | null = null;
  let stopping: Promise<void> | null = null;
  /** Made with the first start: most servers of a session are never started. */
  let life: AbortController | null = null;
  let idling: AbortController | null = null;
  let users = 0;
  const on = (event: ServerEvent<Session>): void => {
    state = nextState(state, event);
  };

  async function start({ signal }: AbortController): Promise<Session> {
    try {
      on({ kind: 'start' });
      // The old process must be gone first: two of them may fight over a port, a file or a lock.
      await latest?.close();
      const session = await options.open(signal);
      latest = session;
      signal.throwIfAborted();
      on({ kind: 'opened', session });
      session.onEnd = () => on({ kind: 'ended', session });
      if (session.ending() !== null) session.onEnd();
      // Whoever wanted it may have given up meanwhile.
      if (users === 0) stopWhenIdle();
      return session;
    } catch (error) {
      if (signal.aborted) throw wasShutDown(alias);
      const retryAt = clock.now() + retryMs;
      await Promise.resolve(options.onFailure?.(error)).finally(() => on({ kind: 'failed', error, retryAt }));
      throw error;
    } finally {
      starting = null;
    }
  }

  async function stop(): Promise<void> {
    on({ kind: 'stop' });
    await latest?.close();
    on({ kind: 'stopped' });
  }

  function stopWhenIdle(): void {
    if (idleMs === undefined || (state.at !== 'ready' && state.at !== 'lost')) return;
    idling = new AbortController();
    clock.sleep(idleMs, idling.signal).then(
      () => {
        if (users === 0) stopping = stop();
      },
      () => undefined,
    );
  }

  async function session(signal: AbortSignal): Promise<Session> {
    signal.throwIfAborted();
    const step = stepFor(state, clock.now());
    switch (step.do) {
      case 'use':
        return step.session;
      case 'refuse':
        throw step.error;
      case 'start':
        starting = start((life ??= new AbortController()));
        return unlessAborted(starting, signal);
      case 'wait':
        if (starting) return unlessAborted(starting, signal);
        await unlessAborted(stopping ?? Promise.resolve(), signal);
        return session(signal);
    }
  }

  return {
    get state() {
      return state;
    },
    get latest() {
      return latest;
    },
    async use(work, signal) {
      users += 1;
      idling?.abort(SHUTDOWN);
      try {
        return await work(await session(signal));
      } finally {
        users -= 1;
        if (users === 0) stopWhenIdle();
      }
    },
    forgive: () => on({ kind: 'forgive' }),
    async close() {
      on({ kind: 'close', error: wasShutDown(alias) });
      idling?.abort(SHUTDOWN);
      life?.abort(SHUTDOWN);
      await starting?.catch(() => undefined);
      await latest?.close();
    },
  };
}

function wasShutDown(alias: string): ToolError {
  return new ToolError('failed', `The MCP server "${alias}" was shut down.`);
}
