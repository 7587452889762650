import { type AbortReason, ToolError } from '@toolwright/machine/base/errors.js';
import { unlessAborted } from '@toolwright/machine/host/deadline.js';
import type { Clock } from '@toolwright/machine/host/host.js';
import type { McpConnection } from '../contract/connection.js';

/** One connection: opened by whoever needs it first, shared, and closed when nobody has needed it for a while. */
export interface Link {
  readonly state: 'not started' | 'starting' | 'ready' | 'failed';
  readonly failure: unknown;
  /** The connection is not idle while the work lasts. */
  use<Result>(work: (connection: McpConnection) => Promise<Result>, signal: AbortSignal): Promise<Result>;
  forgetFailure(): void;
  close(): Promise<void>;
}

export interface LinkOptions {
  alias: string;
  clock: Clock;
  idleMs: number;
  open(signal: AbortSignal): Promise<McpConnection>;
  /** Told of a failure before those who wait are. */
  onFailure(error: unknown): Promise<void>;
}

/** A server that can't be reached is not tried again with every call. */
const RETRY_MS = 10_000;
/** A reason given is one that need not be made: the default is an error with a stack. */
const CLOSED: AbortReason = { kind: 'shutdown' };

export function createLink({ alias, clock, idleMs, open, onFailure }: LinkOptions): Link {
  /** Made with the first use: most servers of a session are never used. */
  let ending: AbortController | null = null;
  let isClosed = false;
  let connection: McpConnection | null = null;
  let opening: Promise<McpConnection> | null = null;
  let closing: Promise<void> = Promise.resolve();
  let failed: { error: unknown; at: number } | null = null;
  let idling: AbortController | null = null;
  let users = 0;

  async function connect({ signal }: AbortController): Promise<McpConnection> {
    try {
      await closing;
      connection = await open(signal);
      failed = null;
      // Whoever wanted it may have given up meanwhile.
      if (users === 0 && !isClosed) stopWhenIdle();
      return connection;
    } catch (error) {
      if (!signal.aborted) {
        failed = { error, at: clock.now() };
        await onFailure(error);
      }
      throw error;
    } finally {
      opening = null;
    }
  }

  async function connected(signal: AbortSignal): Promise<McpConnection> {
    if (isClosed) throw new ToolError('failed', `The MCP server "${alias}" was shut down.`);
    if (connection && connection.state !== 'closed') return connection;
    if (failed && clock.now() - failed.at < RETRY_MS) throw failed.error;
    ending ??= new AbortController();
    opening ??= connect(ending);
    return unlessAborted(opening, signal);
  }

  function stop(): Promise<void> {
    const stopped = connection;
    connection = null;
    if (stopped) closing = closing.then(() => stopped.close());
    return closing;
  }

  function stopWhenIdle(): void {
    idling = new AbortController();
    clock.sleep(idleMs, idling.signal).then(
      () => void stop(),
      () => undefined,
    );
  }

  return {
    get state() {
      if (connection) return 'ready';
      return opening ? 'starting' : failed ? 'failed' : 'not started';
    },
    get failure() {
      return failed?.error;
    },
    async use(work, signal) {
      users += 1;
      idling?.abort(CLOSED);
      try {
        return await work(await connected(signal));
      } finally {
        users -= 1;
        if (users === 0 && connection && !isClosed) stopWhenIdle();
      }
    },
    forgetFailure() {
      failed = null;
    },
    async close() {
      isClosed = true;
      idling?.abort(CLOSED);
      ending?.abort(CLOSED);
      await opening?.catch(() => undefined);
      await stop();
    },
  };
}
