import type { FetchLike, Transport } from '@modelcontextprotocol/client';
import { withinDeadline } from '@toolwright/machine/host/deadline.js';
import { loadClientSdk } from '../contract/client-sdk.js';
import type { McpLimits, McpNeeds } from '../contract/needs.js';
import type { McpAddress, McpServerConfig } from '../contract/server-config.js';
import { authorizedFetch } from '../oauth/authorized-fetch.js';
import { createAuthorizer } from '../oauth/authorizer.js';
import { createFloodGate, FLOODED } from './flood-gate.js';
import { createFetch } from './http-fetch.js';
import { answerLostRequests } from './lost-requests.js';
import { keepPlace } from './resumed-streams.js';
import { startFolder } from './start-folder.js';
import { startStdioTransport } from './stdio-transport.js';

/** A connection to a server, with the facts that failure messages need. */
export interface OpenTransport {
  kind: 'stdio' | 'http' | 'sse';
  transport: Transport;
  stderrTail(): string;
  /** A program that the sandbox holds. */
  confined: boolean;
  /** Why it can't be used any more; null while it can. */
  ending(): string | null;
  /** Resolves with the first line on standard output that was no message. */
  noise: Promise<string> | null;
  isSigningIn(): boolean;
  /** Ends everything behind it, and waits for that. */
  end(): Promise<void>;
}

export interface TransportOptions {
  config: McpServerConfig;
  needs: McpNeeds;
  limits: McpLimits;
  signal: AbortSignal;
}

export async function openStdio(options: TransportOptions): Promise<OpenTransport> {
  const { config, needs, limits, signal } = options;
  if (config.endpoint.kind !== 'stdio') throw new Error('not a program');
  const directory = await startFolder(config.endpoint, needs);
  const transport = await startStdioTransport({
    alias: config.alias,
    program: { ...config.endpoint, cwd: directory },
    needs,
    messageBytes: limits.messageBytes,
    signal,
  });
  return {
    kind: 'stdio',
    transport,
    stderrTail: transport.stderrTail,
    ending: transport.ending,
    noise: transport.noise,
    confined: transport.confined,
    isSigningIn: () => false,
    end: () => transport.close(),
  };
}

const GOODBYE_MS = 1_000;
/** A stream that can be resumed is asked for again no sooner, even where its server names a shorter time. */
const LEAST_RECONNECTION_DELAY_MS = 100;
const RECONNECTION = {
  maxRetries: 2,
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 5_000,
  reconnectionDelayGrowFactor: 2,
};

export async function openHttp(options: TransportOptions, endpoint: McpAddress): Promise<OpenTransport> {
  const { StreamableHTTPClientTransport } = await loadClientSdk();
  const { fetch, hangUp, later, ...connection } = connectToAddress(
    options,
    endpoint,
    () => void transport.close(),
  );
  const transport = new StreamableHTTPClientTransport(new URL(endpoint.url), {
    fetch: keepPlace(fetch),
    requestInit: { headers: endpoint.headers },
    reconnectionOptions: RECONNECTION,
    reconnectionScheduler: (reconnect, delayMs) =>
      later(reconnect, Math.max(delayMs, LEAST_RECONNECTION_DELAY_MS)),
  });
  answerLostRequests(transport);
  return {
    ...connection,
    kind: 'http',
    transport,
    async end() {
      // A polite word to the server that the session is over; it may not understand, or not be there.
      const goodbye = transport.terminateSession().catch(() => undefined);
      await withinDeadline(goodbye, { ms: GOODBYE_MS, clock: options.needs.clock });
      await transport.close();
      hangUp();
    },
  };
}

export async function openSse(options: TransportOptions, endpoint: McpAddress): Promise<OpenTransport> {
  const { SSEClientTransport } = await loadClientSdk();
  const {
    fetch,
    hangUp,
    breakOff,
    later: _later,
    ...connection
  } = connectToAddress(options, endpoint, () => void transport.close());
  const transport = new SSEClientTransport(new URL(endpoint.url), {
    fetch,
    requestInit: { headers: endpoint.headers },
  });
  let isOpen = false;
  const start = transport.start.bind(transport);
  transport.start = async () => {
    await start();
    isOpen = true;
  };
  // The stream is the connection: answers to requests that were sent before can't come any more.
  transport.onerror = (error) => {
    if (isOpen && /SSE error/i.test(error.message)) breakOff('its event stream broke off');
  };
  return {
    ...connection,
    kind: 'sse',
    transport,
    async end() {
      await transport.close();
      hangUp();
    },
  };
}

interface AddressConnection
  extends Pick<OpenTransport, 'confined' | 'stderrTail' | 'ending' | 'noise' | 'isSigningIn'> {
  fetch: FetchLike;
  /** Marks the connection as unusable and closes it. */
  breakOff(why: string): void;
  hangUp(): void;
  /** Does the work after so long, unless the connection is over by then. */
  later(work: () => void, ms: number): void;
}

/** The part that HTTP and SSE share. A server that floods us is cut off with `close`. */
function connectToAddress(
  { config, needs, limits }: TransportOptions,
  endpoint: McpAddress,
  close: () => void,
): AddressConnection {
  let ending: string | null = null;
  const breakOff = (why: string): void => {
    if (ending !== null) return;
    ending = why;
    close();
  };
  const gate = createFloodGate(needs.clock);
  const open = new AbortController();
  const plain = createFetch({
    http: needs.http,
    idleTimeoutMs: Math.max(limits.callHard, config.timeoutMs ?? 0) + limits.list,
    messageBytes: limits.messageBytes,
    admit(messages) {
      const isAdmitted = gate.admit(messages);
      if (!isAdmitted) breakOff(FLOODED);
      return isAdmitted;
    },
    signal: open.signal,
  });
  const authorizer = createAuthorizer({ config, serverUrl: endpoint.url, needs, fetch: plain });
  return {
    fetch: usesOAuth(config, endpoint) ? authorizedFetch(plain, authorizer, open.signal) : plain,
    breakOff,
    hangUp: () => open.abort({ kind: 'shutdown' }),
    later: (work, ms) => void needs.clock.sleep(ms, open.signal).then(work, () => undefined),
    confined: false,
    stderrTail: () => '',
    ending: () => ending,
    noise: null,
    isSigningIn: () => authorizer.isSigningIn(),
  };
}

/** An Authorization header of the settings counts before a sign-in. */
function usesOAuth({ oauth }: McpServerConfig, { headers }: McpAddress): boolean {
  if (oauth.enabled !== null) return oauth.enabled;
  return !Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}
