import { randomUUID } from 'node:crypto';
import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { isJsonObject } from '@toolwright/machine/base/json.js';
import type { Clock } from '@toolwright/machine/host/host.js';
import type { ServedChange } from '../offers/offers.js';
import { loadServerSdk, type ServerSdk } from '../server-sdk.js';
import type { ServedConnection } from '../serving.js';
import { createEventLog, type EventLog } from './event-log.js';
import { refuse } from './gate.js';
import { UnansweredRequests } from './unanswered-requests.js';
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
  mostPerClient?: number;
  idleMs?: number;
  /** Milliseconds that a client has to come back after it lost its stream in the middle of a call. */
  absenceMs?: number;
}

interface ClientSession extends ServedConnection {
  /** The client by what it calls itself; it has no other mark. */
  client: string;
  transport: WebStandardStreamableHTTPServerTransport;
  log: EventLog;
  unanswered: UnansweredRequests;
  usedAt: number;
  /** Streams that are open, and requests that are not answered yet. */
  busy: number;
}

const MOST = 64;
const MOST_PER_CLIENT = 16;
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
    this.#options = {
      most: MOST,
      mostPerClient: MOST_PER_CLIENT,
      idleMs: IDLE_MS,
      absenceMs: ABSENCE_MS,
      ...options,
    };
  }

  async answer(request: Request, parsedBody: unknown): Promise<Response> {
    const id = request.headers.get(HEADER);
    if (id === null) return this.#begin(request, parsedBody);
    const session = this.#sessions.get(id);
    if (!session) return refuse(404, 'There is no such session any more. Initialize a new one.');
    session.usedAt = this.#options.clock.now();
    const last = request.headers.get('last-event-id');
    if (last !== null && !session.log.has(last))
      return refuse(400, "There is no such event, or no longer: the stream can't be taken up after it.");
    session.unanswered.sent(parsedBody);
    const respond = () => session.transport.handleRequest(request, { parsedBody });
    return this.#whileInUse(session, respond, () => {
      if (session.unanswered.hasAny) void this.#awaitReturn(id, session).catch(() => undefined);
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
    const client = clientIn(parsedBody);
    const refused = this.#makeRoom(client);
    if (refused) return refused;
    const [id, connection, usedAt] = [randomUUID(), this.#options.connect(), this.#options.clock.now()];
    const unanswered = new UnansweredRequests();
    const log = createEventLog((message) => unanswered.answered(message));
    const transport = new this.#sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: log,
      retryInterval: RETRY_MS,
      onsessionclosed: () => void this.#sessions.delete(id),
    });
    const session = { ...connection, transport, log, unanswered, client, usedAt, busy: 0 };
    // The session is counted before it is connected: several clients may come at once.
    this.#sessions.set(id, session);
    const respond = async (): Promise<Response> => {
      await connection.server.connect(transport);
      return transport.handleRequest(request, { parsedBody });
    };
    try {
      return await this.#whileInUse(session, respond);
    } finally {
      if (transport.sessionId === undefined) await this.#end(id);
    }
  }

  /** Ends sessions that nobody has used for long; where that makes no room, the longest unused of this client or of all. */
  #makeRoom(client: string): Response | null {
    const { clock, idleMs, most, mostPerClient } = this.#options;
    const now = clock.now();
    for (const [id, { usedAt }] of this.#idle()) if (now - usedAt >= idleMs) void this.#end(id);
    const own = [...this.#sessions.values()].filter((session) => session.client === client);
    if (own.length >= mostPerClient && !this.#endOldest((session) => session.client === client))
      return refuse(
        429,
        `This client has ${mostPerClient} sessions already, and all of them are in use. End one of them, then try again.`,
      );
    if (this.#sessions.size >= most && !this.#endOldest(() => true))
      return refuse(503, 'Too many clients are connected. End one of them, then try again.');
    return null;
  }

  /** Sessions without an open stream or a request that is not answered, the longest unused first. */
  #idle(): [string, ClientSession][] {
    const idle = [...this.#sessions].filter(([, { busy }]) => busy === 0);
    return idle.sort(([, left], [, right]) => left.usedAt - right.usedAt);
  }

  /** False when there is none that could be ended. */
  #endOldest(isMeant: (session: ClientSession) => boolean): boolean {
    const [id] = this.#idle().find(([, session]) => isMeant(session)) ?? [];
    if (id !== undefined) void this.#end(id);
    return id !== undefined;
  }

  /** A session with an open stream is in use, however long nothing is said. */
  async #whileInUse(
    session: ClientSession,
    respond: () => Promise<Response>,
    onLost?: () => void,
  ): Promise<Response> {
    session.busy += 1;
    const onEnd = (): void => {
      session.busy -= 1;
      session.usedAt = this.#options.clock.now();
    };
    try {
      return watchResponse(await respond(), { onEnd, onLost });
    } catch (error) {
      onEnd();
      throw error;
    }
  }

  /** A client that left in the middle of a call and does not come back holds nothing up: its calls are ended. */
  async #awaitReturn(id: string, session: ClientSession): Promise<void> {
    const { clock, absenceMs } = this.#options;
    const leftAt = clock.now();
    await clock.sleep(absenceMs, this.#closing.signal);
    if (session.busy === 0 && session.usedAt <= leftAt && session.unanswered.hasAny) await this.#end(id);
  }

  async #end(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    await session?.server.close().catch(() => undefined);
  }
}

function clientIn(body: unknown): string {
  const params = isJsonObject(body) ? body['params'] : null;
  return JSON.stringify(isJsonObject(params) ? params['clientInfo'] : null) ?? '';
}
