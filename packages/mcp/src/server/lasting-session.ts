import type { McpFailure } from '../contract/connection.js';
import { mcpFailure } from '../contract/failure.js';
import type { Session } from '../session/session.js';

/** The session of the moment. A lost one is replaced when it is next needed, never in the background. */
export interface LastingSession {
  readonly state: 'ready' | 'lost' | 'connecting' | 'closed';
  /** The latest one, alive or not. */
  latest(): Session;
  /** One that lives, connected again where needed. */
  get(signal: AbortSignal): Promise<Session>;
  close(): Promise<void>;
}

export interface LastingOptions {
  server: string;
  first: Session;
  /** Bound to the life of the connection, not to the request that happens to need it. */
  open(signal: AbortSignal): Promise<Session>;
  onReconnect(session: Session): void;
}

export function createLastingSession({ server, first, open, onReconnect }: LastingOptions): LastingSession {
  const life = new AbortController();
  let latest = first;
  let connecting: Promise<Session> | null = null;
  let closing: Promise<void> | null = null;

  async function reconnect(): Promise<Session> {
    try {
      // The old process must be gone first: two of them may fight over a port, a file or a lock.
      await latest.close();
      const session = await open(life.signal);
      latest = session;
      if (life.signal.aborted) {
        await session.close();
        throw life.signal.reason;
      }
      onReconnect(session);
      return session;
    } finally {
      connecting = null;
    }
  }

  return {
    get state() {
      if (closing) return 'closed';
      if (connecting) return 'connecting';
      return latest.ending() === null ? 'ready' : 'lost';
    },
    latest: () => latest,
    async get(signal) {
      signal.throwIfAborted();
      if (closing) throw closed(server);
      if (!connecting && latest.ending() === null) return latest;
      connecting ??= reconnect();
      return await orAborted(connecting, signal);
    },
    close() {
      closing ??= (async () => {
        life.abort(closed(server));
        await connecting?.catch(() => undefined);
        await latest.close();
      })();
      return closing;
    },
  };
}

function closed(server: string): McpFailure {
  return mcpFailure({
    server,
    stage: 'call',
    what: 'its connection was closed',
    advice: 'Connect it again.',
  });
}

function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
