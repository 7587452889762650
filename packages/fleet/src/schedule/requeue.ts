import type { Engine } from '../engine/engine.js';
import { changeRecord, entryOf, isStale, readable, type TaskRecord } from './record.js';

const MOVING = 'moving ';

/**
 * Notes a task while its record is written and its entry is put into the queue. Where this process ends in between, others find the
 * note and finish the work.
 */
export async function whileMoving<Result>(
  engine: Engine,
  id: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const table = engine.table('fleet');
  const row = await table.get(`${MOVING}${id}`);
  const revision = await table.put(`${MOVING}${id}`, { at: engine.now() }, row?.revision ?? null);
  const result = await work();
  // Null: somebody else moves the same task, and takes the note away.
  if (revision !== null) await table.remove(`${MOVING}${id}`, revision);
  return result;
}

/** Puts tasks into the queue whose records wait without an entry there. Gives how many. */
export async function requeueLost(engine: Engine): Promise<number> {
  const ids: string[] = [];
  for await (const [key] of engine.table('fleet').entries())
    if (key.startsWith(MOVING)) ids.push(key.slice(MOVING.length));
  let count = 0;
  for (const id of ids) {
    const row = await engine.table('tasks').get(id);
    const record = row && readable(row);
    // Its note stays for those who can read it.
    if (row && !record) continue;
    if (await whileMoving(engine, id, async () => record !== null && requeue(engine, record))) count += 1;
  }
  return count;
}

/**
 * True where a record that waits is in the queue now, and was not before. An entry that comes late is of an earlier generation, and is
 * dropped.
 */
export async function requeue(engine: Engine, record: TaskRecord): Promise<boolean> {
  const { task, generation, state } = record;
  if (state !== 'queued') return false;
  const entry = await engine.peek(task.id);
  if (entry && !isStale(entry, record)) return false;
  const changed = await changeRecord(engine, task.id, (present) =>
    present?.state === 'queued' && present.generation === generation
      ? { ...present, generation: generation + 1 }
      : null,
  );
  if (changed) await engine.submit([entryOf(changed)]);
  return changed !== null;
}

const KEY = 'requeue';
const EVERY_MS = 60_000;

/** Looks for tasks that were left on their way into the queue: one worker of the fleet for all, once a minute. */
export async function requeueNow(engine: Engine): Promise<void> {
  const table = engine.table('fleet');
  const row = await table.get(KEY);
  const last = (row?.value as { at: number } | undefined)?.at ?? Number.NEGATIVE_INFINITY;
  if (Math.abs(engine.now() - last) < EVERY_MS) return;
  if ((await table.put(KEY, { at: engine.now() }, row?.revision ?? null)) !== null) await requeueLost(engine);
}
