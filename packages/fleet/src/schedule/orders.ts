import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../engine/engine.js';
import { records } from './control.js';
import { changeRecord, entryOf, finalStates, newRecord, recordIn, type TaskRecord } from './record.js';
import { requeue, whileMoving } from './requeue.js';
import { createLook } from './workers.js';

/** Ends a task wherever it is; a worker that runs it hears of it at once. False when it has ended already. */
export async function cancelTask(engine: Engine, { task }: Pick<TaskRecord, 'task'>): Promise<boolean> {
  const seen = recordIn(await engine.table('tasks').get(task.id));
  // Nobody would hear of it there.
  const lost = seen && (await createLook(engine)(seen)) ? seen.token : null;
  const changed = await changeRecord(engine, task.id, (record) => {
    const present = record ?? newRecord(task);
    if (finalStates.includes(present.state)) return null;
    const isRunning = present.state === 'running';
    if (isRunning && present.token !== lost) return { ...present, cancelAsked: true };
    return {
      ...present,
      state: 'cancelled',
      token: null,
      snapshot: undefined,
      questions: undefined,
      isQueuedStill: isRunning || present.state === 'queued' ? true : undefined,
      endedAt: engine.now(),
    };
  });
  engine.publish({ type: 'task-cancel', id: task.id });
  return changed !== null;
}

const HEARD_WITHIN_MS = 2_000;
const AGAIN_MS = 400;

/** Tells workers again what they may not have heard, until the tasks have ended; gives those that have not within two seconds. */
export async function afterCancelling(engine: Engine, ids: readonly string[]): Promise<string[]> {
  const until = performance.now() + HEARD_WITHIN_MS;
  let left = [...ids];
  for (;;) {
    const running: string[] = [];
    for (const id of left)
      if (recordIn(await engine.table('tasks').get(id))?.state === 'running') running.push(id);
    left = running;
    if (left.length === 0 || performance.now() > until) return left;
    await sleep(AGAIN_MS);
    for (const id of left) engine.publish({ type: 'task-cancel', id });
  }
}

/** Puts tasks that failed into the queue again; gives how many. */
export async function retryTasks(engine: Engine, which: (record: TaskRecord) => boolean): Promise<number> {
  let count = 0;
  for await (const record of records(engine)) {
    if (!which(record)) continue;
    // Whoever wrote the record may have ended before it put the task into the queue.
    const isMoved = () => whileMoving(engine, record.task.id, () => moveAgain(engine, record));
    if (record.state !== 'done' && record.state !== 'running' && (await isMoved())) count += 1;
  }
  return count;
}

async function moveAgain(engine: Engine, record: TaskRecord): Promise<boolean> {
  return (await requeue(engine, record)) || (await retry(engine, record));
}

async function retry(engine: Engine, { task, state }: TaskRecord): Promise<boolean> {
  if (!finalStates.includes(state) || state === 'done') return false;
  let isQueuedStill = false;
  const changed = await changeRecord(engine, task.id, (present) => {
    if (!present || !finalStates.includes(present.state) || present.state === 'done') return null;
    isQueuedStill = present.isQueuedStill === true;
    const generation = present.generation + (isQueuedStill ? 0 : 1);
    return { ...newRecord(task), generation, usage: present.usage };
  });
  if (changed && !isQueuedStill) await engine.submit([entryOf(changed)]);
  return changed !== null;
}
