import { randomUUID } from 'node:crypto';
import type { Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { Clock } from '@toolwright/machine/host/host.js';
import { loadServerSdk } from '../server-sdk.js';
import { refuse } from './gate.js';

/** The connections of clients that speak the older revisions, each known by the id it was given. */
export interface Sessions {
  answer(request: Request, body: unknown): Promise<Response>;
  toolsChanged(): void;
  close(): Promise<void>;
}

export interface SessionsOptions {
  clock: Clock;
  newServer(): Server;
  most?: number;
  idleMs?: number;
}

interface ClientSession {
  server: Server;
  transport: WebStandardStreamableHTTPServerTransport;
  usedAt: number;
  /** Requests that are not answered yet, streams included. */
  busy: number;
}

const MOST = 64;
const IDLE_MS = 30 * 60_000;
const HEADER = 'mcp-session-id';

export async function openSessions({
  clock,
  newServer,
  most = MOST,
  idleMs = IDLE_MS,
}: SessionsOptions): Promise<Sessions> {
  const sdk = await loadServerSdk();
  const sessions = new Map<string, ClientSession>();

  async function end(id: string): Promise<void> {
    const session = sessions.get(id);
    sessions.delete(id);
    await session?.server.close().catch(() => undefined);
  }

  /** Ends sessions that nobody has used for long. False when there is still no room for another. */
  async function makeRoom(): Promise<boolean> {
    const old = [...sessions].filter(([, { usedAt, busy }]) => busy === 0 && clock.now() - usedAt >= idleMs);
    for (const [id] of old) await end(id);
    return sessions.size < most;
  }

  async function begin(request: Request, parsedBody: unknown): Promise<Response> {
    if (!(await makeRoom()))
      return refuse(503, 'Too many clients are connected. End one of them, then try again.');
    const server = newServer();
    const transport = new sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) =>
        void sessions.set(id, { server, transport, usedAt: clock.now(), busy: 0 }),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await server.connect(transport);
    const response = await transport.handleRequest(request, { parsedBody });
    if (transport.sessionId === undefined) await server.close().catch(() => undefined);
    return response;
  }

  return {
    async answer(request, parsedBody) {
      const id = request.headers.get(HEADER);
      if (id === null) return begin(request, parsedBody);
      const session = sessions.get(id);
      if (!session) return refuse(404, 'There is no such session any more. Initialize a new one.');
      session.usedAt = clock.now();
      const response = await session.transport.handleRequest(
        request,
        parsedBody === undefined ? {} : { parsedBody },
      );
      return whileBusy(session, response, clock);
    },
    toolsChanged() {
      for (const { server } of sessions.values()) void server.sendToolListChanged().catch(() => undefined);
    },
    async close() {
      for (const id of [...sessions.keys()]) await end(id);
    },
  };
}

/** A session with an open stream is in use, however long nothing is said. */
function whileBusy(session: ClientSession, response: Response, clock: Clock): Response {
  if (!response.body) return response;
  session.busy += 1;
  const done = (): void => {
    session.busy -= 1;
    session.usedAt = clock.now();
  };
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  void response.body.pipeTo(writable).then(done, done);
  return new Response(readable, response);
}
