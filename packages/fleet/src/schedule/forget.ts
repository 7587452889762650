import type { Engine } from '../engine/engine.js';
import { records } from './control.js';
import { inGroups } from './in-groups.js';
import { finalStates, objectsNamedBy, readable, type TaskRecord } from './record.js';

/** Removes tasks that have ended, with all that is kept of them. Gives how many. */
export async function forgetTasks(engine: Engine, which: (record: TaskRecord) => boolean): Promise<number> {
  let count = 0;
  await inGroups(records(engine), async (record) => {
    if (canForget(record) && which(record) && (await forget(engine, record.task.id))) count += 1;
  });
  return count;
}

/** One that was cancelled in the queue would begin anew there without its record. */
function canForget({ state, isQueuedStill }: TaskRecord): boolean {
  return finalStates.includes(state) && !isQueuedStill;
}

/** The record goes last: where this process ends before, it is found again. */
async function forget(engine: Engine, id: string): Promise<boolean> {
  const row = await engine.table('tasks').get(id);
  const record = row && readable(row);
  if (!row || !record || !canForget(record)) return false;
  for (const name of objectsNamedBy(record)) await engine.objects.remove(name);
  return engine.table('tasks').remove(id, row.revision);
}

/** Removes objects that no record names, which workers and programs left behind that were killed. Gives how many. */
export async function removeOrphans(engine: Engine): Promise<number> {
  await engine.objects.tidy();
  const found: string[] = [];
  for await (const name of engine.objects.names()) found.push(name);
  let count = 0;
  for (const name of found) {
    const row = await engine.table('tasks').get(name.split('/')[0]!);
    const record = row && readable(row);
    // A task that runs or asks is just writing some; a record that is not there yet has none.
    const isOver = row === null || (record !== null && finalStates.includes(record.state));
    if (!isOver || objectsNamedBy(record).has(name)) continue;
    await engine.objects.remove(name);
    count += 1;
  }
  return count;
}
