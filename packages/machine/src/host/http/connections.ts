import http from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isNodeError } from '../../base/errors.js';
import type { Environment } from '../state/state-folder.js';
import { HttpError } from './http-error.js';
import { bareHost, type Dial, portOf, proxyAuthorization, proxyFor, tunnelThrough } from './proxy.js';

export interface HttpOptions {
  /** Source of the proxy variables; without it no proxy is used. */
  environment?: Environment;
  /** Opens every connection in place of node:net; then no proxy is used. */
  dial?: Dial;
  /** Certificate authorities to trust in place of the built-in ones, as PEM. */
  ca?: string[] | undefined;
  /** The certificate of this client and its key, as PEM, for servers that want one. */
  cert?: string | undefined;
  key?: string | undefined;
}

export interface RequestHead {
  url: URL;
  method: string;
  headers: Record<string, string>;
  dialSignal: AbortSignal;
}

export interface Connections {
  /** Opens a request; its body is still to be written. */
  open(head: RequestHead): http.ClientRequest;
  /** Ends idle connections. */
  close(): void;
}

interface Destination {
  /** The connection to the server, or to the proxy before it, uses TLS. */
  secure: boolean;
  agent: http.Agent;
  options: http.RequestOptions;
}

type ConnectionOptions = http.ClientRequestArgs & { dialSignal?: AbortSignal };

/** Keeps connections open for reuse, in one pool each for direct, dialed and proxied ones. */
export function createConnections(options: HttpOptions): Connections {
  const agents = new Map<string, http.Agent>();
  const agentFor = (secure: boolean, via: string, dial?: Dial): http.Agent => {
    const key = `${secure ? 'https' : 'http'} ${via}`;
    let agent = agents.get(key);
    if (!agent) {
      agent = createAgent(secure, options, dial);
      agents.set(key, agent);
    }
    return agent;
  };

  const destinationOf = (url: URL): Destination => {
    const secure = url.protocol === 'https:';
    const direct = { host: bareHost(url.hostname), port: portOf(url), path: `${url.pathname}${url.search}` };
    if (options.dial) return { secure, agent: agentFor(secure, 'dialed', options.dial), options: direct };
    const proxy = options.environment ? proxyFor(url, options.environment) : null;
    if (!proxy) return { secure, agent: agentFor(secure, 'direct'), options: direct };
    if (secure)
      return { secure, agent: agentFor(true, proxy.href, tunnelThrough(proxy, options.ca)), options: direct };
    const toProxy = proxy.protocol === 'https:';
    return {
      secure: toProxy,
      agent: agentFor(toProxy, 'direct'),
      options: {
        host: bareHost(proxy.hostname),
        port: portOf(proxy),
        path: `${url.origin}${direct.path}`,
        headers: proxyAuthorization(proxy),
      },
    };
  };

  return {
    open: (head) => openOn(destinationOf(head.url), head),
    close: () => {
      for (const agent of agents.values()) agent.destroy();
      agents.clear();
    },
  };
}

/** Loading TLS takes as long as everything else here, and a server on this machine needs none. */
function httpsOnFirstUse(): typeof import('node:https') {
  return process.getBuiltinModule('node:https');
}

type Certificates = Pick<HttpOptions, 'ca' | 'cert' | 'key'>;

function createAgent(secure: boolean, { ca, cert, key }: Certificates, dial?: Dial): http.Agent {
  const options = { keepAlive: true, scheduling: 'lifo' as const };
  const certificates = { ca, cert, key };
  const agent = secure
    ? new (httpsOnFirstUse().Agent)({ ...options, ...certificates })
    : new http.Agent(options);
  if (dial) agent.createConnection = connectionMaker(secure, dial, certificates);
  return agent;
}

function connectionMaker(
  secure: boolean,
  dial: Dial,
  certificates: Certificates,
): http.Agent['createConnection'] {
  return (connection, callback) => {
    const { host, port, dialSignal } = connection as ConnectionOptions;
    const name = String(host);
    const wrap = (socket: Socket): Duplex =>
      secure
        ? process
            .getBuiltinModule('node:tls')
            .connect({ socket, host: name, servername: isIP(name) ? undefined : name, ...certificates })
        : socket;
    dial({ host: name, port: Number(port), signal: dialSignal ?? new AbortController().signal })
      .then((socket) => callback?.(null, wrap(socket)))
      .catch((error: Error) => callback?.(error, undefined as never));
    return undefined;
  };
}

function openOn(
  { secure, agent, options }: Destination,
  { url, method, headers, dialSignal }: RequestHead,
): http.ClientRequest {
  const auth = url.username
    ? `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
    : undefined;
  const full: ConnectionOptions = {
    ...options,
    agent,
    method,
    headers: { host: url.host, 'accept-encoding': 'gzip, deflate, br', ...options.headers, ...headers },
    // Node removes `signal` before it asks the agent for a connection, so the dialer's has another name.
    dialSignal,
    auth,
  };
  try {
    return secure ? httpsOnFirstUse().request(full) : http.request(full);
  } catch (error) {
    // An unknown failure's message may quote a header value, which may be a key.
    const reason = isNodeError(
      error,
      'ERR_INVALID_CHAR',
      'ERR_INVALID_HTTP_TOKEN',
      'ERR_UNESCAPED_CHARACTERS',
    )
      ? error.message
      : 'it is malformed';
    throw new HttpError(
      'invalid',
      `The request to ${url.host} can't be sent: ${reason}. Check keys and headers.`,
    );
  }
}
