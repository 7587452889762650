import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { messageOf } from '../../../base/errors.js';
import { fitsHost, parseHostPattern } from '../../../base/patterns/host-pattern.js';
import { deadlineIn } from '../../deadline.js';
import { bareHost, type DialTarget } from '../../http/proxy.js';
import { type GuardOptions, guardedDial } from '../../web/guarded-dial.js';

export interface HostProxy {
  /** The port it listens on, unless it is a unix socket. */
  port: number | null;
  /** `host:port` of refused requests, each once. */
  refused(): readonly string[];
  close(): Promise<void>;
}

export interface HostProxyOptions {
  /** A unix socket, or a free port of this machine. */
  listen: { path: string } | { host: '127.0.0.1'; port: 0 };
  /** Hosts as in the profile. */
  hosts: readonly string[];
  guard?: Omit<GuardOptions, 'allowHost'>;
}

const CONNECT_LIMIT_MS = 30_000;
const MOST_REFUSALS = 20;

/**
 * The only way out of a sandbox whose network is limited to named hosts. The proxy resolves names itself and connects
 * to the very address it has checked; private addresses pass only if their host is named exactly.
 */
export async function startHostProxy(options: HostProxyOptions): Promise<HostProxy> {
  const refused = new Set<string>();
  const sockets = new Set<Duplex>();
  const dial = async (host: string, port: number): Promise<Socket> => {
    const name = bareHost(host);
    if (matchHost(options.hosts, name, port) === null) {
      if (refused.size < MOST_REFUSALS) refused.add(`${name}:${port}`);
      throw new Refusal(
        `the sandbox refused ${name}:${port}: neither the call nor sandbox.networkHosts in the settings names it`,
      );
    }
    const socket = await guarded(options, {
      host: name,
      port,
      signal: deadlineIn(CONNECT_LIMIT_MS),
    });
    sockets.add(socket.on('error', () => socket.destroy()));
    socket.once('close', () => sockets.delete(socket));
    return socket;
  };
  const server = createServer((message, response) => void forward(message, response, dial));
  server.on('connect', (message, client, head) => void tunnel({ message, client, head }, dial));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.listen, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' ? (address?.port ?? null) : null,
    refused: () => [...refused],
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

class Refusal extends Error {}

type DialHost = (host: string, port: number) => Promise<Socket>;

function guarded({ hosts, guard = {} }: HostProxyOptions, target: DialTarget): Promise<Socket> {
  const host = target.host.includes(':') ? `[${target.host}]` : target.host;
  const url = new URL(`${target.port === 80 ? 'http' : 'https'}://${host}:${target.port}`);
  const allowHost = (name: string, port: number): boolean => matchHost(hosts, name, port) === 'exact';
  return guardedDial(url, { ...guard, allowHost })(target);
}

interface ConnectRequest {
  message: IncomingMessage;
  client: Duplex;
  head: Buffer;
}

async function tunnel({ message, client, head }: ConnectRequest, dial: DialHost): Promise<void> {
  client.on('error', () => client.destroy());
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(message.url ?? '') ?? [];
  try {
    if (host === undefined || port === undefined) throw new Refusal('CONNECT takes host:port');
    const upstream = await dial(host, Number(port));
    if (client.destroyed) return void upstream.destroy();
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    upstream.write(head);
    client.pipe(upstream).pipe(client);
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => client.destroy());
  } catch (error) {
    const text = `${messageOf(error)}\n`;
    client.end(
      `HTTP/1.1 ${status(error)}\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
    );
  }
}

function status(error: unknown): string {
  const isRefusal = error instanceof Refusal || (error as { code?: unknown }).code === 'denied';
  return isRefusal ? '403 Forbidden' : '502 Bad Gateway';
}

const betweenNeighbours = new Set([
  'connection',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

async function forward(message: IncomingMessage, response: ServerResponse, dial: DialHost): Promise<void> {
  try {
    const url = new URL(message.url ?? '');
    if (url.protocol !== 'http:') throw new Refusal('only http: is forwarded; https: goes by CONNECT');
    const socket = await dial(url.hostname, Number(url.port || 80));
    const kept = Object.entries(message.headers).filter(([name]) => !betweenNeighbours.has(name));
    const upstream = sendRequest({
      createConnection: () => socket,
      method: message.method,
      path: `${url.pathname}${url.search}`,
      headers: { ...Object.fromEntries(kept), host: url.host, connection: 'close' },
    });
    upstream.on('error', () => response.destroy());
    upstream.on('response', (answer) => {
      const headers = Object.entries(answer.headers).filter(([name]) => !betweenNeighbours.has(name));
      response.writeHead(answer.statusCode ?? 502, Object.fromEntries(headers));
      answer.pipe(response);
    });
    response.once('close', () => socket.destroy());
    message.pipe(upstream);
  } catch (error) {
    response.writeHead(Number(status(error).slice(0, 3)), { 'content-type': 'text/plain' });
    response.end(`${messageOf(error)}\n`);
  }
}

/** The match of a host in a list: by its own name, or below another name. */
type HostMatch = 'exact' | 'below' | null;

/** Matches a host against the patterns of a list, which are written as in rules. */
export function matchHost(hosts: readonly string[], host: string, port: number): HostMatch {
  const fitting = hosts
    .map(parseHostPattern)
    .filter((pattern) => pattern !== null && fitsHost(pattern, { host, port }));
  if (fitting.length === 0) return null;
  return fitting.every((pattern) => pattern?.isSubdomains) ? 'below' : 'exact';
}
