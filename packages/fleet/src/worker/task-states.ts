import { addUsage, finalStates, newRecord, type Snapshot, type TaskRecord } from '../schedule/record.js';
import { MOST_CRASHES, stepAfter } from '../schedule/retry.js';
import type { Task } from '../tasks/task.js';
import type { TaskEnd } from './run-task.js';

/** A worker that begins a task, and the moment by the engine's clock. */
interface Beginning {
  token: string;
  worker: string;
  now: number;
}

/** The record of a task that is begun, null for one that has ended. One that is found running was left by a worker that is gone. */
export function afterBeginning(
  task: Task,
  earlier: TaskRecord | null,
  { token, worker, now }: Beginning,
): TaskRecord | null {
  const record = earlier ?? newRecord(task);
  if (finalStates.includes(record.state)) return null;
  const crashes = record.crashes + (record.state === 'running' ? 1 : 0);
  if (record.cancelAsked)
    return { ...record, state: 'cancelled', token: null, snapshot: undefined, endedAt: now };
  if (crashes > MOST_CRASHES) {
    const message = `${crashes} workers ended while they worked on it.`;
    return {
      ...record,
      state: 'poison',
      crashes,
      token: null,
      endedAt: now,
      failure: { kind: 'crash', message },
    };
  }
  return {
    ...record,
    state: 'running',
    token,
    crashes,
    attempts: record.attempts + 1,
    worker,
    startedAt: record.startedAt ?? now,
  };
}

interface HowEnded {
  isCancelled: boolean;
  now: number;
  random(): number;
}

interface AfterEnd {
  record: TaskRecord;
  /** The time after which the task is to come again; null: never by itself. */
  delayMs: number | null;
  /** True if every task would fail like this one. */
  stopsFleet?: boolean;
}

/** The record after a delivery. */
export function afterEnd(
  present: TaskRecord,
  end: TaskEnd,
  { isCancelled, now, random }: HowEnded,
): AfterEnd {
  const { worker: _worker, ...rest } = present;
  const usage = 'usage' in end ? addUsage(present.usage, end.usage) : present.usage;
  const ended = { ...rest, token: null, usage, endedAt: now };
  if (isCancelled) return { record: { ...ended, state: 'cancelled', snapshot: undefined }, delayMs: null };
  switch (end.kind) {
    case 'stopped':
      return { record: { ...rest, token: null, state: 'queued' }, delayMs: 0 };
    case 'parked':
      return {
        record: { ...rest, token: null, usage, state: 'parked', questions: end.questions },
        delayMs: null,
      };
    case 'done': {
      const { failure: _failure, questions: _questions, ...clean } = ended;
      return {
        record: {
          ...clean,
          worker: present.worker,
          state: 'done',
          outcome: end.outcome,
          snapshot: snapshotOf(present, end),
        },
        delayMs: null,
      };
    }
    case 'failed': {
      const failed = {
        ...ended,
        worker: present.worker,
        failure: end.failure,
        outcome: end.outcome,
        failures: present.failures + 1,
      };
      const step = stepAfter(end.failure, present.failures, random);
      if (step.kind === 'again') return { record: { ...failed, state: 'queued' }, delayMs: step.delayMs };
      const state = step.kind === 'poison' ? 'poison' : 'failed';
      return { record: { ...failed, state }, delayMs: null, stopsFleet: step.kind === 'stop' };
    }
  }
}

/** The objects of the delivery that ended the task hold its result. */
function snapshotOf(present: TaskRecord, { outcome }: TaskEnd & { kind: 'done' }): Snapshot {
  return {
    token: present.token!,
    session: present.snapshot?.session ?? `task-${present.task.id}`,
    base: outcome.base,
  };
}
