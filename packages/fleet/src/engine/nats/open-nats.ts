import { readFile } from 'node:fs/promises';
import { AckPolicy, jetstream, jetstreamManager, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { Objm } from '@nats-io/obj';
import { connect, credsAuthenticator } from '@nats-io/transport-node';
import { SettingsError } from '@toolwright/core';
import type { Task } from '../../tasks/task.js';
import {
  type Claim,
  type Engine,
  type EngineTimes,
  type FleetEvent,
  type TableName,
  usualTimes,
} from '../engine.js';
import { openNatsTable } from './tables.js';

export interface NatsOptions {
  /** nats://host:port or tls://host:port; several, separated by commas, for a cluster. */
  servers: string;
  /** Name of the fleet: several can share one server. */
  fleet: string;
  /** A credentials file of NATS. */
  credentials?: string | undefined;
  /** A file with the certificate of the authority that the servers are signed by. */
  tlsAuthority?: string | undefined;
  /** Accepts servers that are not on this machine without credentials or TLS. */
  insecure?: boolean;
  times?: EngineTimes;
}

const WAIT_MS = 1_000;
const MOST_CLAIMED = 50_000;
const REPLICAS = 3;

/** A fleet in the JetStream of NATS servers: a work queue, tables, objects and live events. */
export async function openNatsEngine(options: NatsOptions): Promise<Engine> {
  requireSafe(options);
  const { leaseMs } = options.times ?? usualTimes;
  const connection = await connectTo(options);
  const manager = await jetstreamManager(connection);
  const stream = jetstream(connection);
  const name = `TW_${options.fleet}`;
  const subject = `tw.${options.fleet}.q`;
  const replicas =
    connection.info?.cluster && (connection.info.connect_urls?.length ?? 0) >= REPLICAS ? REPLICAS : 1;
  await made(() =>
    manager.streams.add({
      name,
      subjects: [`${subject}.*`],
      retention: RetentionPolicy.Workqueue,
      storage: StorageType.File,
      num_replicas: replicas,
    }),
  );
  await made(() =>
    manager.consumers.add(name, {
      durable_name: 'workers',
      ack_policy: AckPolicy.Explicit,
      ack_wait: leaseMs * 1_000_000,
      max_ack_pending: MOST_CLAIMED,
    }),
  );
  const consumer = await stream.consumers.get(name, 'workers');
  const keyValues = new Kvm(connection);
  const bucket = (table: string) =>
    made(() => keyValues.create(`TW_${options.fleet}_${table}`, { history: 1, replicas })).then(() =>
      keyValues.open(`TW_${options.fleet}_${table}`),
    );
  const tables = {
    tasks: openNatsTable(await bucket('tasks')),
    limits: openNatsTable(await bucket('limits')),
    fleet: openNatsTable(await bucket('fleet')),
  } satisfies Record<TableName, unknown>;
  const objectStores = new Objm(connection);
  await made(() =>
    objectStores.create(`TW_${options.fleet}_objects`, { replicas, storage: StorageType.File }),
  );
  const store = await objectStores.open(`TW_${options.fleet}_objects`);
  const { wallClock = Date.now } = options.times ?? usualTimes;
  const ahead = await clockOffset(tables.fleet, wallClock);
  const events = `tw.${options.fleet}.e`;

  return {
    now: () => wallClock() + ahead,
    async submit(tasks) {
      return submitAll(tasks, (task) => stream.publish(`${subject}.${task.id}`, JSON.stringify(task)));
    },
    async claim(signal) {
      if (signal.aborted) return null;
      const message = await consumer.next({ expires: WAIT_MS });
      if (!message) return null;
      return claimOf(message, leaseMs);
    },
    async unfinished() {
      const { num_pending, num_ack_pending } = await consumer.info();
      return num_pending + num_ack_pending;
    },
    async peek(id) {
      const message = await manager.streams
        .getMessage(name, { last_by_subj: `${subject}.${id}` })
        .catch(() => null);
      return message ? message.json<Task>() : null;
    },
    table: (table) => tables[table],
    objects: {
      put: async (key, bytes) => void (await store.putBlob({ name: key }, bytes)),
      get: (key) => store.getBlob(key).catch(() => null),
      remove: async (key) => void (await store.delete(key).catch(() => undefined)),
    },
    publish: (event) => connection.publish(events, JSON.stringify(event)),
    async listen(onEvent, signal) {
      const subscription = connection.subscribe(events);
      signal.addEventListener('abort', () => subscription.unsubscribe(), { once: true });
      for await (const message of subscription) onEvent(message.json<FleetEvent>());
    },
    close: () => connection.drain(),
  };
}

/** Without TLS and without credentials everybody on the network could read tasks and answer questions. */
function requireSafe({ servers, credentials, tlsAuthority, insecure }: NatsOptions): void {
  if (insecure || credentials !== undefined || tlsAuthority !== undefined) return;
  for (const server of servers.split(',')) {
    const url = URL.parse?.(server) ?? (URL.canParse(server) ? new URL(server) : null);
    const host = url?.hostname ?? server.split(':')[0] ?? '';
    if (url?.protocol === 'tls:' || /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host)) continue;
    throw new SettingsError(
      `${host} is not on this machine, and neither TLS (tls://, --tls-ca) nor credentials (--creds) were given. Give one of them, or say --insecure.`,
    );
  }
}

async function connectTo({ servers, credentials, tlsAuthority }: NatsOptions) {
  const list = servers.split(',').map((server) => server.replace(/^(nats|tls):\/\//, ''));
  const isTls = tlsAuthority !== undefined || servers.startsWith('tls://');
  try {
    return await connect({
      servers: list,
      name: 'toolwright fleet',
      maxReconnectAttempts: -1,
      reconnectTimeWait: 500,
      waitOnFirstConnect: false,
      ...(credentials === undefined
        ? {}
        : { authenticator: credsAuthenticator(await readFile(credentials)) }),
      ...(isTls ? { tls: tlsAuthority === undefined ? {} : { caFile: tlsAuthority } } : {}),
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new SettingsError(`No NATS server could be reached at ${servers}: ${why}.`);
  }
}

/** Several processes may make the same thing at once, or with other options than the first one: what is there counts. */
async function made<Result>(make: () => Promise<Result>): Promise<void> {
  try {
    await make();
  } catch (error) {
    if (!(error instanceof Error) || !/already|in use|exist/i.test(error.message)) throw error;
  }
}

const AT_ONCE = 500;

async function submitAll(
  tasks: Iterable<Task> | AsyncIterable<Task>,
  publish: (task: Task) => Promise<unknown>,
): Promise<number> {
  let count = 0;
  let running: Promise<unknown>[] = [];
  for await (const task of tasks) {
    running.push(publish(task));
    count += 1;
    if (running.length < AT_ONCE) continue;
    await Promise.all(running);
    running = [];
  }
  await Promise.all(running);
  return count;
}

interface Message {
  json<Value>(): Value;
  working(): void;
  ackAck(): Promise<boolean>;
  nak(delayMs?: number): void;
}

function claimOf(message: Message, leaseMs: number): Claim {
  let renewedAt = performance.now();
  return {
    task: message.json<Task>(),
    async renew() {
      // The server does not say whether the task is still ours; after a whole lease it may not be.
      if (performance.now() - renewedAt > leaseMs) return false;
      message.working();
      renewedAt = performance.now();
      return true;
    },
    async done() {
      await message.ackAck().catch(() => false);
    },
    async back(delayMs) {
      message.nak(Math.max(0, Math.round(delayMs)));
    },
  };
}

/** Milliseconds by which the clock of the server is ahead of ours. */
async function clockOffset(
  table: ReturnType<typeof openNatsTable>,
  wallClock: () => number,
): Promise<number> {
  const before = wallClock();
  const there = await table.timeOfWrite(`clock-${process.pid}`);
  return there - (before + wallClock()) / 2;
}
