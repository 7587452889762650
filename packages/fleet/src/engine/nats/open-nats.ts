import { jetstreamManager, StorageType } from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import { Objm } from '@nats-io/obj';
import type { NatsConnection } from '@nats-io/transport-node';
import { SettingsError } from '@toolwright/core';
import { messageOf } from '@toolwright/core/front-end';
import {
  type Engine,
  type FleetEvent,
  isOrder,
  type Objects,
  type TableName,
  usualTimes,
} from '../engine.js';
import { askAgain } from './ask-again.js';
import { connectTo, type NatsOptions } from './connect.js';
import { removeMarkers } from './markers.js';
import { openNatsObjects } from './objects.js';
import { made, openNatsQueue } from './queue.js';
import { openNatsTable } from './tables.js';

/** A fleet in the JetStream of NATS servers: a work queue, tables, objects and live events. */
export async function openNatsEngine(options: NatsOptions): Promise<Engine> {
  const connection = await connectTo(options);
  try {
    return await openOn(connection, options);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function openOn(
  connection: NatsConnection,
  { servers, fleet, times: { leaseMs, wallClock = Date.now } = usualTimes }: NatsOptions,
): Promise<Engine> {
  const manager = await requireJetStream(connection, servers, () => jetstreamManager(connection));
  const { replicas, ...queue } = await openNatsQueue(connection, { fleet, leaseMs });
  const buckets: Opened[] = [];
  const stores: StoreOptions = { name: `TW_${fleet}`, replicas, leaseMs, buckets };
  const tables = {
    tasks: await openTable(connection, 'tasks', stores),
    limits: await openTable(connection, 'limits', stores),
    fleet: await openTable(connection, 'fleet', stores),
    workers: await openTable(connection, 'workers', stores),
  } satisfies Record<TableName, unknown>;
  const objects = await openObjects(connection, stores);
  const before = wallClock();
  const ahead = (await tables.fleet.timeOfWrite(`clock-${process.pid}`)) - (before + wallClock()) / 2;
  return {
    now: () => wallClock() + ahead,
    ...queue,
    table: (table) => tables[table],
    objects: {
      ...objects,
      async tidy() {
        await objects.tidy();
        for (const each of buckets) await removeMarkers(manager, each, leaseMs);
      },
    },
    ...openEvents(connection, `tw.${fleet}.e`),
    close: () => connection.drain(),
  };
}

const ELECTION_MS = 30_000;

/** A server that stands alone says at once whether it has any; a cluster may have to elect first. */
async function requireJetStream<Manager>(
  { info }: NatsConnection,
  servers: string,
  ask: () => Promise<Manager>,
): Promise<Manager> {
  const limitMs = info?.jetstream === true || info?.cluster !== undefined ? ELECTION_MS : 0;
  try {
    return await askAgain(limitMs, ask);
  } catch (error) {
    throw new SettingsError(
      `The NATS servers at ${servers} do not offer JetStream: start them with -js, and allow it for this account (${messageOf(error)}).`,
    );
  }
}

interface Opened {
  bucket: KV;
  name: string;
}

interface StoreOptions {
  name: string;
  replicas: number;
  leaseMs: number;
  /** All that were opened. */
  buckets: Opened[];
}

async function openBucket(
  connection: NatsConnection,
  kind: string,
  { name: fleet, replicas, buckets }: StoreOptions,
): Promise<KV> {
  const name = `${fleet}_${kind}`;
  const keyValues = new Kvm(connection);
  // Any server would answer direct reads, also one that was killed and has not caught up.
  await made(() => keyValues.create(name, { history: 1, replicas, allow_direct: false }));
  const bucket = await keyValues.open(name);
  buckets.push({ bucket, name });
  return bucket;
}

async function openTable(connection: NatsConnection, table: TableName, options: StoreOptions) {
  return openNatsTable(await openBucket(connection, table, options), options.leaseMs);
}

async function openObjects(connection: NatsConnection, options: StoreOptions): Promise<Objects> {
  const { name, replicas, leaseMs } = options;
  const stores = new Objm(connection);
  await made(() => stores.create(`${name}_large`, { replicas, storage: StorageType.File }));
  const heads = await openBucket(connection, 'objects', options);
  return openNatsObjects(heads, await stores.open(`${name}_large`), leaseMs);
}

function openEvents(connection: NatsConnection, subject: string): Pick<Engine, 'publish' | 'listen'> {
  return {
    publish(event) {
      connection.publish(`${subject}.${isOrder(event) ? 'orders' : 'news'}`, JSON.stringify(event));
    },
    async listen(onEvent, signal, which = 'all') {
      const subscription = connection.subscribe(`${subject}.${which === 'all' ? '*' : which}`);
      // What was told before the end of listening comes back before the answer to a flush.
      const end = (): void => subscription.unsubscribe();
      signal.addEventListener('abort', () => void connection.flush().then(end, end), { once: true });
      for await (const message of subscription) onEvent(message.json<FleetEvent>());
    },
  };
}
