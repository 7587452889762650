import { jetstreamManager, StorageType } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { Objm } from '@nats-io/obj';
import type { NatsConnection } from '@nats-io/transport-node';
import { messageOf, SettingsError } from '@toolwright/core';
import { type Engine, type FleetEvent, type Objects, type TableName, usualTimes } from '../engine.js';
import { connectTo, type NatsOptions } from './connect.js';
import { patiently } from './patience.js';
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
  await requireJetStream(connection, servers);
  const { replicas, ...queue } = await openNatsQueue(connection, { fleet, leaseMs });
  const stores: StoreOptions = { name: `TW_${fleet}`, replicas, leaseMs };
  const tables = {
    tasks: await openTable(connection, 'tasks', stores),
    limits: await openTable(connection, 'limits', stores),
    fleet: await openTable(connection, 'fleet', stores),
  } satisfies Record<TableName, unknown>;
  const before = wallClock();
  const ahead = (await tables.fleet.timeOfWrite(`clock-${process.pid}`)) - (before + wallClock()) / 2;
  return {
    now: () => wallClock() + ahead,
    ...queue,
    table: (table) => tables[table],
    objects: await openObjects(connection, stores),
    ...openEvents(connection, `tw.${fleet}.e`),
    close: () => connection.drain(),
  };
}

async function requireJetStream(connection: NatsConnection, servers: string): Promise<void> {
  try {
    await patiently(ELECTION_MS, () => jetstreamManager(connection));
  } catch (error) {
    throw new SettingsError(
      `The NATS servers at ${servers} give no JetStream: start them with -js, and allow it for this account (${messageOf(error)}).`,
    );
  }
}

const ELECTION_MS = 5_000;

interface StoreOptions {
  name: string;
  replicas: number;
  leaseMs: number;
}

async function openTable(
  connection: NatsConnection,
  table: TableName,
  { name, replicas, leaseMs }: StoreOptions,
) {
  const keyValues = new Kvm(connection);
  await made(() => keyValues.create(`${name}_${table}`, { history: 1, replicas }));
  return openNatsTable(await keyValues.open(`${name}_${table}`), leaseMs);
}

async function openObjects(
  connection: NatsConnection,
  { name, replicas, leaseMs }: StoreOptions,
): Promise<Objects> {
  const stores = new Objm(connection);
  await made(() => stores.create(`${name}_objects`, { replicas, storage: StorageType.File }));
  const store = await stores.open(`${name}_objects`);
  return {
    put: async (key, bytes) => void (await patiently(leaseMs, () => store.putBlob({ name: key }, bytes))),
    get: (key) => patiently(leaseMs, () => store.getBlob(key)),
    async remove(key) {
      await patiently(leaseMs, async () => {
        if (await store.info(key)) await store.delete(key);
      });
    },
  };
}

function openEvents(connection: NatsConnection, subject: string): Pick<Engine, 'publish' | 'listen'> {
  return {
    publish: (event) => connection.publish(subject, JSON.stringify(event)),
    async listen(onEvent, signal) {
      const subscription = connection.subscribe(subject);
      signal.addEventListener('abort', () => subscription.unsubscribe(), { once: true });
      for await (const message of subscription) onEvent(message.json<FleetEvent>());
    },
  };
}
