import type { Clock } from '@toolwright/core';
import { type Lease, lifeOf, ownLease } from '@toolwright/core/front-end';
import type { Engine } from '../engine/engine.js';
import type { TaskRecord } from './record.js';

/** A worker's sign of life, which it gives anew three times in the length of a lease. */
interface WorkerSign {
  name: string;
  /** By the engine's clock. */
  at: number;
  leaseMs: number;
  lease: Lease;
}

/** The worker that gives signs. */
export interface SigningWorker {
  engine: Engine;
  /** Not its name alone: two containers may have one name. */
  id: string;
  name: string;
  leaseMs: number;
  clock: Pick<Clock, 'sleep'>;
}

const SIGNS_IN_A_LEASE = 3;

/** Gives the first sign, then further ones until the signal; nothing of them stays behind. */
export async function beginSigns(
  { engine, id, name, leaseMs, clock }: SigningWorker,
  signal: AbortSignal,
): Promise<{ ended: Promise<void> }> {
  const table = engine.table('workers');
  const lease = await ownLease();
  let revision: number | null = null;
  const give = async (): Promise<void> => {
    const sign: WorkerSign = { name, at: engine.now(), leaseMs, lease };
    revision = (await table.put(id, sign, revision)) ?? (await table.get(id))?.revision ?? null;
  };
  await give();
  const goOn = async (): Promise<void> => {
    while (!signal.aborted) {
      await clock.sleep(leaseMs / SIGNS_IN_A_LEASE, signal).catch(() => undefined);
      if (!signal.aborted) await give().catch(() => undefined);
    }
    if (revision !== null) await table.remove(id, revision).catch(() => undefined);
  };
  return { ended: goOn() };
}

/** Tells whether the worker of a running task is gone; each worker is looked at once. */
export function createLook(engine: Engine): (record: TaskRecord) => Promise<boolean> {
  const seen = new Map<string, Promise<boolean>>();
  return async ({ state, by }) => {
    if (state !== 'running' || by === undefined) return false;
    const known = seen.get(by) ?? isGone(engine, by);
    seen.set(by, known);
    return known;
  };
}

async function isGone(engine: Engine, by: string): Promise<boolean> {
  const sign = (await engine.table('workers').get(by))?.value as WorkerSign | undefined;
  if (!sign || engine.now() - sign.at > sign.leaseMs) return true;
  // On the same machine nobody has to wait for the end of the lease.
  return (await lifeOf(sign.lease)) === 'dead';
}

const FORGOTTEN_AFTER = 20;

/** True while some worker gives signs; those of workers that have long been gone are removed. */
export async function someoneWorks(engine: Engine): Promise<boolean> {
  const table = engine.table('workers');
  let found = false;
  for await (const [key, value] of table.entries()) {
    const { at, leaseMs } = value as WorkerSign;
    if (!(await isGone(engine, key))) found = true;
    else if (engine.now() - at > FORGOTTEN_AFTER * leaseMs) {
      const row = await table.get(key);
      if (row) await table.remove(key, row.revision);
    }
  }
  return found;
}
