import {
  addUsage,
  finalStates,
  isStale,
  type KeptQuestion,
  newRecord,
  type Snapshot,
  type TaskFailure,
  type TaskOutcome,
  type TaskRecord,
  type TaskUsage,
} from '../schedule/record.js';
import { MOST_CRASHES, stepAfter } from '../schedule/retry.js';
import type { Task } from '../tasks/task.js';
import type { AskedQuestion, TaskEnd } from './run-task.js';

/** A worker that begins a task, and the moment by the engine's clock. */
interface Beginning {
  token: string;
  worker: string;
  by: string;
  now: number;
}

/** The record of a task that is begun, null for one that has ended. One that is found running was left by a worker that is gone. */
export function afterBeginning(
  task: Task,
  earlier: TaskRecord | null,
  { token, worker, by, now }: Beginning,
): TaskRecord | null {
  const record = earlier ?? newRecord(task);
  if (finalStates.includes(record.state) || isStale(task, record)) return null;
  const crashes = record.crashes + (record.state === 'running' ? 1 : 0);
  if (record.cancelAsked) return { ...ended(record), state: 'cancelled', snapshot: undefined, endedAt: now };
  if (crashes > MOST_CRASHES) {
    const message = `${crashes} workers ended while they worked on it.`;
    return {
      ...ended(record),
      state: 'poison',
      crashes,
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
    by,
    startedAt: record.startedAt ?? now,
  };
}

/** Nobody works on a task that has ended, and nobody is asked about it. */
function ended(record: TaskRecord): TaskRecord {
  return { ...record, token: null, questions: undefined };
}

interface HowEnded {
  isCancelled: boolean;
  /** By the deliveries before; the record has that of this one until its last checkpoint, too. */
  used: TaskUsage;
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
  { isCancelled, used, now, random }: HowEnded,
): AfterEnd {
  const { worker: _worker, by: _by, ...rest } = present;
  const usage = addUsage(used, end.usage);
  const over = { ...ended(rest), usage, endedAt: now };
  // Somebody may have cancelled it in the moment in which it ended by itself.
  if (isCancelled || present.cancelAsked)
    return { record: { ...over, state: 'cancelled', snapshot: undefined }, delayMs: null };
  switch (end.kind) {
    case 'stopped':
      return { record: { ...rest, token: null, usage, state: 'queued' }, delayMs: 0 };
    case 'parked':
      return {
        record: { ...rest, token: null, usage, state: 'parked', questions: end.questions.map(kept) },
        delayMs: null,
      };
    case 'done': {
      const { failure: _failure, ...clean } = over;
      return {
        record: {
          ...clean,
          worker: present.worker,
          state: 'done',
          outcome: bounded(end.outcome),
          snapshot: snapshotOf(present, end),
        },
        delayMs: null,
      };
    }
    case 'failed': {
      const failed = {
        ...over,
        worker: present.worker,
        failure: shortened(end.failure),
        outcome: end.outcome && bounded(end.outcome),
        failures: present.failures + 1,
      };
      const step = stepAfter(end.failure, present.failures, random);
      // An answer that was given is not asked for again.
      const again = { ...failed, questions: present.questions };
      if (step.kind === 'again') return { record: { ...again, state: 'queued' }, delayMs: step.delayMs };
      const state = step.kind === 'poison' ? 'poison' : 'failed';
      return { record: { ...failed, state }, delayMs: null, stopsFleet: step.kind === 'stop' };
    }
  }
}

const LONGEST_SENTENCE = 2_000;
const MOST_LEFT_OUT = 100;

/** What is told of a task in its record stays small: servers take no row above 1 MB. */
function cut(text: string): string {
  return text.length > LONGEST_SENTENCE ? `${text.slice(0, LONGEST_SENTENCE)} …` : text;
}

function kept({ digest, title, request, answer }: AskedQuestion): KeptQuestion {
  const { description, reason } = request;
  return { digest, title: cut(title), description: cut(description), reason: cut(reason), answer };
}

function shortened(failure: TaskFailure): TaskFailure {
  return { ...failure, message: cut(failure.message) };
}

function bounded(outcome: TaskOutcome): TaskOutcome {
  const leftOut = outcome.leftOut.slice(0, MOST_LEFT_OUT).map(cut);
  const more = outcome.leftOut.length - leftOut.length;
  return { ...outcome, leftOut: more > 0 ? [...leftOut, `… and ${more} more`] : leftOut };
}

/** The objects of the delivery that ended the task hold its result. */
function snapshotOf(present: TaskRecord, { outcome }: TaskEnd & { kind: 'done' }): Snapshot {
  return {
    token: present.token!,
    session: present.snapshot?.session ?? `task-${present.task.id}`,
    base: outcome.base,
  };
}
