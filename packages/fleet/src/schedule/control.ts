import { SettingsError } from '@toolwright/core';
import { createIds } from '@toolwright/core/front-end';
import type { Engine } from '../engine/engine.js';
import type { TaskRow } from '../tasks/check-row.js';
import type { Task, TaskWorkspace } from '../tasks/task.js';
import {
  addUsage,
  changeRecord,
  finalStates,
  findRecord,
  newRecord,
  noUsage,
  type TaskRecord,
  type TaskState,
  type TaskUsage,
} from './record.js';

/** Tasks that were submitted together: those whose ids lie between these two. */
export interface Submitted {
  count: number;
  first: string;
  last: string;
}

/** Puts rows into the queue, each with an id of its own; ids sort in the order of the rows. */
export async function submitRows(engine: Engine, rows: AsyncIterable<TaskRow>): Promise<Submitted> {
  const ids = createIds();
  let [first, last] = ['', ''];
  async function* tasks(): AsyncGenerator<Task> {
    for await (const row of rows) {
      last = ids.next();
      first ||= last;
      yield { ...row, id: last };
    }
  }
  return { count: await engine.submit(tasks()), first, last };
}

/** The number of tasks in each state, and what they have used. */
export interface FleetStatus {
  states: Record<TaskState, number>;
  usage: TaskUsage;
  /** The latest failure. */
  lastFailure: { id: string; title: string; workspace: TaskWorkspace; message: string } | null;
}

/** Counts all tasks of the fleet, or those that were submitted together. */
export async function statusOf(engine: Engine, submitted?: Submitted): Promise<FleetStatus> {
  const states: FleetStatus['states'] = {
    queued: 0,
    running: 0,
    parked: 0,
    done: 0,
    failed: 0,
    poison: 0,
    cancelled: 0,
  };
  let usage = noUsage;
  let begun = 0;
  let cancelledInQueue = 0;
  let last: TaskRecord | null = null;
  for await (const record of records(engine, submitted)) {
    if (record.state !== 'queued') [states[record.state], begun] = [states[record.state] + 1, begun + 1];
    if (record.isQueuedStill) cancelledInQueue += 1;
    usage = addUsage(usage, record.usage);
    if (record.failure && record.state !== 'done' && (record.endedAt ?? 0) >= (last?.endedAt ?? 0))
      last = record;
  }
  const waiting = submitted
    ? submitted.count - begun
    : (await engine.unfinished()) - states.running - cancelledInQueue;
  states.queued = Math.max(0, waiting);
  return { states, usage, lastFailure: last && lastFailureOf(last) };
}

function lastFailureOf({ task, title, failure }: TaskRecord): FleetStatus['lastFailure'] {
  return { id: task.id, title, workspace: task.workspace, message: failure!.message };
}

/** The records of all tasks that were begun, or of those among them that were submitted together. */
export async function* records(engine: Engine, submitted?: Submitted): AsyncGenerator<TaskRecord> {
  const isWanted = (id: string): boolean => !submitted || (submitted.first <= id && id <= submitted.last);
  for await (const [id, value] of engine.table('tasks').entries())
    if (isWanted(id)) yield value as TaskRecord;
}

/** The record whose id begins so; throws where there is none, or more than one. */
export async function requireRecord(engine: Engine, id: string): Promise<TaskRecord> {
  const exact = await findRecord(engine, id);
  if (exact) return exact;
  const found: TaskRecord[] = [];
  for await (const record of records(engine)) if (record.task.id.startsWith(id)) found.push(record);
  if (found.length === 1) return found[0]!;
  throw new SettingsError(
    found.length === 0
      ? `There is no task ${id} in this fleet. toolwright fleet status --tasks lists them.`
      : `${id} is the beginning of ${found.length} task ids.`,
  );
}

/** Ends a task wherever it is; a worker that runs it hears of it at once. False when it has ended already. */
export async function cancelTask(engine: Engine, { task }: Pick<TaskRecord, 'task'>): Promise<boolean> {
  const changed = await changeRecord(engine, task.id, (record) => {
    const present = record ?? newRecord(task);
    if (finalStates.includes(present.state)) return null;
    if (present.state === 'running') return { ...present, cancelAsked: true };
    const isQueuedStill = present.state === 'queued' ? true : undefined;
    return {
      ...present,
      state: 'cancelled',
      snapshot: undefined,
      questions: undefined,
      isQueuedStill,
      endedAt: engine.now(),
    };
  });
  engine.publish({ type: 'task-cancel', id: task.id });
  return changed !== null;
}

/** Puts tasks that failed into the queue again; gives how many. */
export async function retryTasks(engine: Engine, which: (record: TaskRecord) => boolean): Promise<number> {
  let count = 0;
  for await (const record of records(engine)) {
    if (!which(record)) continue;
    const { task } = record;
    // The submitter may have ended before it put the task into the queue.
    if (record.state === 'queued' && !(await engine.peek(task.id))) {
      await engine.submit([task]);
      count += 1;
    }
    if (!['failed', 'poison', 'cancelled'].includes(record.state)) continue;
    let isQueuedStill = false;
    const changed = await changeRecord(engine, task.id, (present) => {
      if (!present || !finalStates.includes(present.state) || present.state === 'done') return null;
      isQueuedStill = present.isQueuedStill === true;
      return { ...newRecord(task), generation: present.generation + 1, usage: present.usage };
    });
    if (!changed) continue;
    if (!isQueuedStill) await engine.submit([task]);
    count += 1;
  }
  return count;
}
