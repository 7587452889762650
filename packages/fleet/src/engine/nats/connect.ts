import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import {
  type Authenticator,
  connect,
  credsAuthenticator,
  type NatsConnection,
  nkeyAuthenticator,
} from '@nats-io/transport-node';
import { SettingsError } from '@toolwright/core';
import { messageOf } from '@toolwright/core/front-end';
import type { ServerAccess } from '../engine.js';

export interface NatsOptions extends ServerAccess {
  /** nats://host:port or tls://host:port; several, separated by commas, for a cluster. */
  servers: string;
}

const RECONNECT_EVERY_MS = 500;
const CONNECT_LIMIT_MS = 10_000;
const PING_EVERY_MS = 5_000;

export async function connectTo(options: NatsOptions): Promise<NatsConnection> {
  const { servers, credentials, tlsAuthority, tlsCertificate, insecure = false } = options;
  const list = servers.split(',').map((server) => server.trim());
  requireNoPassword(list);
  const isTls =
    (tlsAuthority ?? tlsCertificate) !== undefined || list.some((server) => server.startsWith('tls://'));
  const isSafe = isTls || credentials !== undefined;
  if (!isSafe && !insecure) requireLoopback(list);
  await requireTlsFiles(options);
  const authenticator = credentials === undefined ? undefined : await authenticatorOf(credentials);
  try {
    const connection = await connect({
      servers: list.map((server) => server.replace(/^(nats|tls):\/\//, '')),
      name: 'toolwright fleet',
      timeout: CONNECT_LIMIT_MS,
      pingInterval: PING_EVERY_MS,
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_EVERY_MS,
      // A server of this machine may name others of its cluster, which nobody has allowed.
      ignoreClusterUpdates: !isSafe && !insecure,
      authenticator,
      tls: isTls ? tlsOptions(list, options) : undefined,
    });
    // A server may ask for TLS by itself.
    const isPlain = !isTls && connection.info?.tls_required !== true;
    const open = isPlain && !insecure ? list.map(hostOf).find((host) => !isLoopback(host)) : undefined;
    if (open === undefined) return connection;
    await connection.close();
    throw new Unencrypted(
      `${open} is not on this machine, and the connection is not encrypted: everybody on the way could read tasks and results. Use tls:// or --tls-ca, or say --insecure.`,
    );
  } catch (error) {
    if (error instanceof Unencrypted) throw error;
    throw new SettingsError(whyNot(error, options));
  }
}

class Unencrypted extends SettingsError {}

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host);
}

/** Refuses other servers than loopback's without TLS and credentials: everybody on the network could read tasks and answer questions. */
function requireLoopback(servers: readonly string[]): void {
  for (const host of servers.map(hostOf)) {
    if (isLoopback(host)) continue;
    throw new SettingsError(
      `${host} is not on this machine, and neither TLS (tls://, --tls-ca) nor credentials (--creds) were given. Give one of them, or say --insecure.`,
    );
  }
}

/** Everybody on the machine can read a command line, and every process that it starts its environment. */
function requireNoPassword(servers: readonly string[]): void {
  if (!servers.some((server) => /^\w+:\/\/[^/]*@/.test(server))) return;
  throw new SettingsError(
    'Users and passwords are not taken in --engine, where others on this machine can read them. Give the server credentials files, nkeys or certificates, and name yours with --creds or --tls-cert.',
  );
}

async function requireTlsFiles({ tlsAuthority, tlsCertificate, tlsKey }: NatsOptions): Promise<void> {
  if ((tlsCertificate === undefined) !== (tlsKey === undefined))
    throw new SettingsError('--tls-cert and --tls-key go together: a certificate and its key.');
  if (tlsAuthority !== undefined) await readGiven('--tls-ca', tlsAuthority);
  if (tlsCertificate !== undefined) await readGiven('--tls-cert', tlsCertificate);
  if (tlsKey !== undefined) await readGiven('--tls-key', tlsKey);
}

function hostOf(server: string): string {
  return URL.canParse(server) ? new URL(server).hostname : (server.split(':')[0] ?? '');
}

/** The library asks whether a certificate is for `localhost` where a server was named by its number. */
function tlsOptions(
  servers: readonly string[],
  { tlsAuthority: caFile, tlsCertificate: certFile, tlsKey: keyFile }: NatsOptions,
) {
  const numbers = servers
    .map((server) => hostOf(server).replace(/^\[|\]$/g, ''))
    .filter((host) => isIP(host) > 0);
  return {
    caFile,
    certFile,
    keyFile,
    checkServerIdentity(name: string, certificate: PeerCertificate): Error | undefined {
      const faults = [name, ...numbers].map((each) => checkServerIdentity(each, certificate));
      return faults.includes(undefined) ? undefined : faults.at(-1);
    },
  };
}

async function authenticatorOf(path: string): Promise<Authenticator> {
  const bytes = await readGiven('--creds', path);
  const text = bytes.toString('utf8');
  if (text.includes('BEGIN NATS USER JWT')) return credsAuthenticator(bytes);
  const [seed] = /^S[A-Z2-7]{57,}$/m.exec(text) ?? [];
  if (seed) return nkeyAuthenticator(Buffer.from(seed));
  throw new SettingsError(`--creds ${path} is neither a credentials file of NATS nor the seed of an nkey.`);
}

async function readGiven(flag: string, path: string): Promise<Buffer> {
  return readFile(path).catch((error: unknown) => {
    throw new SettingsError(`${flag} ${path} can't be read: ${messageOf(error)}`);
  });
}

/** Gives a sentence that says what to change. */
function whyNot(error: unknown, options: NatsOptions): string {
  const { servers, credentials, tlsAuthority, tlsCertificate, tlsKey } = options;
  const why = reasonsOf(error).join(': ');
  if (/authorization|authentication/i.test(why))
    return credentials === undefined
      ? `The NATS servers at ${servers} want credentials: name their file with --creds.`
      : `The NATS servers at ${servers} do not accept the credentials in ${credentials}.`;
  if (/key values mismatch|no start line|PEM|decoder/i.test(why) && tlsCertificate !== undefined)
    return `The certificate in ${tlsCertificate} can't be used with the key in ${tlsKey}: ${why}.`;
  if (/certificate|self.signed|altname|does not match/i.test(why))
    return tlsAuthority === undefined
      ? `The certificate of the NATS servers at ${servers} is not one that this machine trusts (${why}). Name their authority with --tls-ca.`
      : `The certificate of the NATS servers at ${servers} does not fit the authority in ${tlsAuthority}: ${why}.`;
  if (/tls|secure/i.test(why))
    return `The NATS servers at ${servers} and this program do not agree about TLS: ${why}.`;
  // A server that gets no certificate says nothing and hangs up.
  const mayWantOne =
    tlsCertificate === undefined && (tlsAuthority !== undefined || servers.includes('tls://'));
  const hint = ' Where they want a certificate of this machine, name it with --tls-cert and --tls-key.';
  return `No NATS server could be reached at ${servers}: ${why}.${mayWantOne ? hint : ''}`;
}

function reasonsOf(error: unknown): string[] {
  const own = messageOf(error);
  const cause = error instanceof Error ? error.cause : undefined;
  const further = cause === undefined ? [] : reasonsOf(cause);
  return [...new Set([own, ...further])];
}
