import { randomUUID } from 'node:crypto';
import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { Clock } from '@toolwright/machine/host/host.js';
import type { ServedChange } from '../offers/offers.js';
import { loadServerSdk } from '../server-sdk.js';
import type { ServedConnection } from '../serving.js';
import { createEventLog } from './event-log.js';
import { refuse } from './gate.js';

/** The connections of clients that speak the older revisions, each known by the id it was given. */
export interface Sessions {
  answer(request: Request, body: unknown): Promise<Response>;
  tell(change: ServedChange): void;
  close(): Promise<void>;
}

export interface SessionsOptions {
  clock: Clock;
  connect(): ServedConnection;
  most?: number;
  idleMs?: number;
  /** A client that lost its stream in the middle of a call has so long to come back. */
  absenceMs?: number;
}

interface ClientSession extends ServedConnection {
  transport: WebStandardStreamableHTTPServerTransport;
  usedAt: number;
  /** Streams that are open, and requests that are not answered yet. */
  busy: number;
}

const MOST = 64;
const IDLE_MS = 30 * 60_000;
const ABSENCE_MS = 60_000;
const RETRY_MS = 1_000;
const HEADER = 'mcp-session-id';

export async function openSessions(options: SessionsOptions): Promise<Sessions> {
  const sdk = await loadServerSdk();
  const { clock, connect, most = MOST, idleMs = IDLE_MS, absenceMs = ABSENCE_MS } = options;
  const sessions = new Map<string, ClientSession>();
  const closing = new AbortController();

  async function end(id: string): Promise<void> {
    const session = sessions.get(id);
    sessions.delete(id);
    await session?.server.close().catch(() => undefined);
  }

  /** Ends sessions that nobody has used for long. False when there is still no room for another. */
  async function makeRoom(): Promise<boolean> {
    for (const [id, { usedAt, busy }] of sessions)
      if (busy === 0 && clock.now() - usedAt >= idleMs) await end(id);
    return sessions.size < most;
  }

  async function begin(request: Request, parsedBody: unknown): Promise<Response> {
    if (!(await makeRoom()))
      return refuse(503, 'Too many clients are connected. End one of them, then try again.');
    const connection = connect();
    const transport = new sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      eventStore: createEventLog(),
      retryInterval: RETRY_MS,
      onsessioninitialized: (id) =>
        void sessions.set(id, { ...connection, transport, usedAt: clock.now(), busy: 0 }),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await connection.server.connect(transport);
    const response = await transport.handleRequest(request, { parsedBody });
    if (transport.sessionId === undefined) await connection.server.close().catch(() => undefined);
    return response;
  }

  /** A client that left in the middle of a call and does not come back holds nothing up: its calls are ended. */
  async function awaitReturn(id: string, session: ClientSession): Promise<void> {
    const leftAt = clock.now();
    await clock.sleep(absenceMs, closing.signal);
    if (session.busy === 0 && session.usedAt <= leftAt) await end(id);
  }

  return {
    async answer(request, parsedBody) {
      const id = request.headers.get(HEADER);
      if (id === null) return begin(request, parsedBody);
      const session = sessions.get(id);
      if (!session) return refuse(404, 'There is no such session any more. Initialize a new one.');
      session.usedAt = clock.now();
      const response = await session.transport.handleRequest(request, { parsedBody });
      return watched(session, response, {
        clock,
        onLost: () => void (request.method === 'POST' && awaitReturn(id, session).catch(() => undefined)),
      });
    },
    tell(change) {
      for (const session of sessions.values()) session.tell(change);
    },
    async close() {
      closing.abort('closed');
      for (const id of [...sessions.keys()]) await end(id);
    },
  };
}

/** A session with an open stream is in use, however long nothing is said. */
function watched(
  session: ClientSession,
  response: Response,
  { clock, onLost }: { clock: Clock; onLost(): void },
): Response {
  if (!response.body) return response;
  session.busy += 1;
  const done = (): void => {
    session.busy -= 1;
    session.usedAt = clock.now();
  };
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  void response.body.pipeTo(writable).then(done, () => {
    done();
    onLost();
  });
  return new Response(readable, response);
}
