import { randomUUID } from 'node:crypto';
import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { Clock } from '@toolwright/machine/host/host.js';
import type { ServedChange } from '../offers/offers.js';
import { loadServerSdk, type ServerSdk } from '../server-sdk.js';
import type { ServedConnection } from '../serving.js';
import { createEventLog } from './event-log.js';
import { refuse } from './gate.js';
import { watchResponse } from './watched-response.js';

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
  return new ClientSessions(await loadServerSdk(), options);
}

class ClientSessions implements Sessions {
  readonly #sdk: ServerSdk;
  readonly #options: Required<SessionsOptions>;
  readonly #sessions = new Map<string, ClientSession>();
  readonly #closing = new AbortController();

  constructor(sdk: ServerSdk, options: SessionsOptions) {
    this.#sdk = sdk;
    this.#options = { most: MOST, idleMs: IDLE_MS, absenceMs: ABSENCE_MS, ...options };
  }

  async answer(request: Request, parsedBody: unknown): Promise<Response> {
    const id = request.headers.get(HEADER);
    if (id === null) return this.#begin(request, parsedBody);
    const session = this.#sessions.get(id);
    if (!session) return refuse(404, 'There is no such session any more. Initialize a new one.');
    session.usedAt = this.#options.clock.now();
    const response = await session.transport.handleRequest(request, { parsedBody });
    return this.#inUse(session, response, () => {
      if (request.method === 'POST') void this.#awaitReturn(id, session).catch(() => undefined);
    });
  }

  tell(change: ServedChange): void {
    for (const session of this.#sessions.values()) session.tell(change);
  }

  async close(): Promise<void> {
    this.#closing.abort('closed');
    for (const id of [...this.#sessions.keys()]) await this.#end(id);
  }

  async #begin(request: Request, parsedBody: unknown): Promise<Response> {
    if (!(await this.#makeRoom()))
      return refuse(503, 'Too many clients are connected. End one of them, then try again.');
    const connection = this.#options.connect();
    const transport = new this.#sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      eventStore: createEventLog(),
      retryInterval: RETRY_MS,
      onsessioninitialized: (id) => {
        const usedAt = this.#options.clock.now();
        this.#sessions.set(id, { ...connection, transport, usedAt, busy: 0 });
      },
      onsessionclosed: (id) => void this.#sessions.delete(id),
    });
    await connection.server.connect(transport);
    const response = await transport.handleRequest(request, { parsedBody });
    if (transport.sessionId === undefined) await connection.server.close().catch(() => undefined);
    return response;
  }

  /** Ends sessions that nobody has used for long. False when there is still no room for another. */
  async #makeRoom(): Promise<boolean> {
    const { clock, idleMs, most } = this.#options;
    for (const [id, { usedAt, busy }] of this.#sessions)
      if (busy === 0 && clock.now() - usedAt >= idleMs) await this.#end(id);
    return this.#sessions.size < most;
  }

  /** A session with an open stream is in use, however long nothing is said. */
  #inUse(session: ClientSession, response: Response, onLost: () => void): Response {
    session.busy += 1;
    const onEnd = (): void => {
      session.busy -= 1;
      session.usedAt = this.#options.clock.now();
    };
    return watchResponse(response, { onEnd, onLost });
  }

  /** A client that left in the middle of a call and does not come back holds nothing up: its calls are ended. */
  async #awaitReturn(id: string, session: ClientSession): Promise<void> {
    const { clock, absenceMs } = this.#options;
    const leftAt = clock.now();
    await clock.sleep(absenceMs, this.#closing.signal);
    if (session.busy === 0 && session.usedAt <= leftAt) await this.#end(id);
  }

  async #end(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    await session?.server.close().catch(() => undefined);
  }
}
