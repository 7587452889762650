import { SettingsError } from '@toolwright/core';
import { createIds } from '@toolwright/core/front-end';
import type { Engine } from '../engine/engine.js';
import type { TaskRow } from '../tasks/check-row.js';
import { isTask } from '../tasks/is-task.js';
import type { Task, TaskWorkspace } from '../tasks/task.js';
import {
  addUsage,
  findRecord,
  newRecord,
  noUsage,
  readable,
  type TaskRecord,
  type TaskState,
  type TaskUsage,
} from './record.js';
import { createLook } from './workers.js';

/** Tasks that were submitted together: those whose ids lie between these two, of which no other submission has any. */
export interface Submitted {
  count: number;
  first: string;
  last: string;
}

/** Tells whether a task is one of those that were submitted together. */
export function isOf({ first, last }: Submitted, id: string): boolean {
  return first <= id && id <= last;
}

const TIME_DIGITS = 9;
const COUNT_DIGITS = 6;

/**
 * Puts rows into the queue, each with an id of its own; ids sort in the order of the rows. Those of a submission begin alike, so that
 * one that is made at the same time, in another process, has none between them.
 */
export async function submitRows(engine: Engine, rows: AsyncIterable<TaskRow>): Promise<Submitted> {
  const own = createIds().next();
  const beginning = own.slice(0, TIME_DIGITS) + own.slice(TIME_DIGITS + COUNT_DIGITS);
  const idOf = (index: number): string => beginning + index.toString(36).padStart(COUNT_DIGITS, '0');
  async function* tasks(): AsyncGenerator<Task> {
    let index = 0;
    for await (const row of rows) yield { ...row, id: idOf(index++) };
  }
  const count = await engine.submit(tasks());
  return count === 0 ? { count, first: '', last: '' } : { count, first: idOf(0), last: idOf(count - 1) };
}

/** The number of tasks in each state, and what they have used. */
export interface FleetStatus {
  states: Record<TaskState, number>;
  usage: TaskUsage;
  /** Those of the running tasks whose worker is gone: they go on where another one is free. */
  lost: number;
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
  let lost = 0;
  const isLost = createLook(engine);
  let last: TaskRecord | null = null;
  for await (const record of records(engine, submitted)) {
    if (record.state !== 'queued') [states[record.state], begun] = [states[record.state] + 1, begun + 1];
    if (record.isQueuedStill) cancelledInQueue += 1;
    if (await isLost(record)) lost += 1;
    usage = addUsage(usage, record.usage);
    if (record.failure && record.state !== 'done' && (record.endedAt ?? 0) >= (last?.endedAt ?? 0))
      last = record;
  }
  const waiting = submitted
    ? submitted.count - begun
    : (await engine.unfinished()) - states.running - cancelledInQueue;
  states.queued = Math.max(0, waiting);
  return { states, usage, lost, lastFailure: last && lastFailureOf(last) };
}

function lastFailureOf({ task, title, failure }: TaskRecord): FleetStatus['lastFailure'] {
  return { id: task.id, title, workspace: task.workspace, message: failure!.message };
}

/** The records of all tasks that were begun, or of those among them that were submitted together. */
export async function* records(engine: Engine, submitted?: Submitted): AsyncGenerator<TaskRecord> {
  const isWanted = (id: string): boolean => !submitted || isOf(submitted, id);
  for await (const [id, value] of engine.table('tasks').entries()) {
    const record = isWanted(id) ? readable({ value }) : null;
    if (record?.task.id === id) yield record;
  }
}

/** Tasks that wait in the queue, as records: those that nobody has begun have none yet. Those that only newer programs know are left out. */
export async function* queuedTasks(engine: Engine): AsyncGenerator<TaskRecord> {
  for await (const task of engine.waiting()) {
    if (!isTask(task)) continue;
    const row = await engine.table('tasks').get(task.id);
    const record = row ? readable(row) : newRecord(task);
    if (record?.state === 'queued') yield record;
  }
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
