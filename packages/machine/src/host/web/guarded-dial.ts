import { isIP, type Socket } from 'node:net';
import { isNodeError, isToolError, messageOf, ToolError } from '../../base/errors.js';
import { deadlineIn, unlessAborted } from '../deadline.js';
import { bareHost, type Dial, type DialTarget, portOf, proxyFor, tunnelThrough } from '../http/proxy.js';
import type { Environment } from '../state/state-folder.js';
import { isLoopbackName, refusedBlock } from './address.js';

/** Can be passed to `net.connect`. */
export interface ConnectTarget {
  /** The checked address, never a name. */
  host: string;
  port: number;
  signal: AbortSignal;
}

/** Gives the addresses of a name, as text. */
type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>;
type Connect = (target: ConnectTarget) => Promise<Socket>;
/** True when the user's own rules name this host, so that it may be private or on this machine. */
type AllowHost = (host: string, port: number) => boolean;

export interface GuardOptions {
  resolve?: Resolve;
  connect?: Connect;
  allowHost?: AllowHost;
  /** Source of the proxy variables; without it no proxy is used. */
  environment?: Environment;
  /** Certificate authorities to trust in place of the built-in ones, as PEM. */
  ca?: string[];
}

/** Time for an address to answer while the host has others. */
const NEXT_ADDRESS_MS = 3000;

/**
 * Connects to public addresses only. The name is resolved here, every address must pass, and the connection goes to
 * the very address that passed: nobody resolves again in between. A proxy gets the address, not the name, so it can't
 * be led elsewhere either.
 */
export function guardedDial(url: URL, options: GuardOptions): Dial {
  const connect = connectionTo(url, options);
  return async (target) => {
    const addresses = await checkedAddresses(target, options);
    const failures: unknown[] = [];
    for (const [index, address] of addresses.entries()) {
      const last = index === addresses.length - 1;
      const signal = last ? target.signal : deadlineIn(NEXT_ADDRESS_MS, target.signal);
      try {
        return await connect({ host: address, port: target.port, signal });
      } catch (error) {
        target.signal.throwIfAborted();
        failures.push(error);
      }
    }
    throw failures[0];
  };
}

function connectionTo(url: URL, { connect, environment, ca }: GuardOptions): Connect {
  const proxy = environment ? proxyFor(url, environment) : null;
  if (!proxy) return connect ?? connectDirectly;
  return tunnelThrough(proxy, ca);
}

/** The addresses of the target; throws `denied` unless all of them may be connected to. */
async function checkedAddresses(target: DialTarget, options: GuardOptions): Promise<readonly string[]> {
  const { host, port, signal } = target;
  const mayBePrivate = options.allowHost?.(host, port) === true;
  if (isLoopbackName(host) && !mayBePrivate) throw refusal({ host, port }, 'this machine itself', true);
  const literal = isIP(host) !== 0;
  const addresses = literal ? [host] : await resolved(host, options.resolve ?? resolveBySystem, signal);
  for (const address of addresses) refuse({ host, port }, address, mayBePrivate);
  return [...new Set(addresses)];
}

/** Refuses what needs no look-up: literal addresses and names of this machine. */
export function checkLiteral(url: URL, options: GuardOptions): void {
  const host = bareHost(url.hostname);
  const place = { host, port: portOf(url) };
  const mayBePrivate = options.allowHost?.(host, place.port) === true;
  if (isIP(host) !== 0) refuse(place, host, mayBePrivate);
  else if (isLoopbackName(host) && !mayBePrivate) throw refusal(place, 'this machine itself', true);
}

async function resolved(host: string, resolve: Resolve, signal: AbortSignal): Promise<readonly string[]> {
  let addresses: readonly string[];
  try {
    addresses = await unlessAborted(resolve(host, signal), signal);
  } catch (error) {
    signal.throwIfAborted();
    if (isToolError(error)) throw error;
    const unknown = isNodeError(error, 'ENOTFOUND', 'ENODATA');
    throw new ToolError(
      unknown ? 'not_found' : 'failed',
      unknown
        ? `The name ${host} is not known. Check its spelling. (Names are looked up on this machine even where a proxy is set, so that the address can be checked.)`
        : `The name ${host} could not be looked up: ${messageOf(error)}. Try again later.`,
    );
  }
  if (addresses.length === 0) throw new ToolError('not_found', `The name ${host} has no address.`);
  return addresses;
}

type HostAndPort = Pick<ConnectTarget, 'host' | 'port'>;

function refuse(place: HostAndPort, address: string, mayBePrivate: boolean): void {
  const block = refusedBlock(address);
  if (block === null || (block.openable && mayBePrivate)) return;
  const what = place.host === address ? block.name : `at ${address}, ${block.name}`;
  throw refusal(place, what, block.openable);
}

function refusal({ host, port }: HostAndPort, what: string, openable: boolean): ToolError {
  const named = isIP(host) === 6 ? `[${host}]` : host;
  // A rule without a port means these two.
  const rule = port === 80 || port === 443 ? host : `${named}:${port}`;
  const remedy = openable
    ? ` Only the user can open it, with the rule Fetch(${rule}) in the user settings.`
    : " It can't be opened by a rule.";
  return new ToolError('denied', `${host} is ${what}; only public hosts can be fetched.${remedy}`);
}

async function resolveBySystem(host: string): Promise<string[]> {
  const { lookup } = await import('node:dns/promises');
  return (await lookup(host, { all: true, verbatim: true })).map((answer) => answer.address);
}

async function connectDirectly({ host, port, signal }: ConnectTarget): Promise<Socket> {
  const { connect } = await import('node:net');
  return await new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    const stop = () => socket.destroy(new Error('it took too long'));
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    socket.once('error', reject);
    socket.once('connect', () => {
      signal.removeEventListener('abort', stop);
      socket.off('error', reject);
      resolve(socket);
    });
  });
}
