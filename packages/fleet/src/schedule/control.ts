import { createIds, SettingsError } from '@toolwright/core';
import type { Engine } from '../engine/engine.js';
import type { TaskRow } from '../tasks/check-row.js';
import type { Task } from '../tasks/task.js';
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

/** Puts rows into the queue, each with an id of its own; ids sort in the order of the rows. */
export async function submitRows(
  engine: Engine,
  rows: Iterable<TaskRow>,
): Promise<{ count: number; first: string }> {
  const ids = createIds();
  let first = '';
  function* tasks(): Generator<Task> {
    for (const row of rows) {
      const id = ids.next();
      first ||= id;
      yield { ...row, id };
    }
  }
  return { count: await engine.submit(tasks()), first };
}

/** How many tasks are in each state, and what they have used. */
export interface FleetStatus {
  states: Record<TaskState, number>;
  usage: TaskUsage;
  /** The latest failure. */
  lastFailure: { id: string; title: string; message: string } | null;
}

/** How many tasks are in each state, what they have used, and the latest failure. */
export async function statusOf(engine: Engine): Promise<FleetStatus> {
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
  let last: TaskRecord | null = null;
  for await (const record of records(engine)) {
    if (record.state !== 'queued') states[record.state] += 1;
    usage = addUsage(usage, record.usage);
    if (record.failure && record.state !== 'done' && (record.endedAt ?? 0) >= (last?.endedAt ?? 0))
      last = record;
  }
  states.queued = Math.max(0, (await engine.unfinished()) - states.running);
  const lastFailure = last && { id: last.task.id, title: last.title, message: last.failure!.message };
  return { states, usage, lastFailure };
}

/** The records of all tasks. */
export async function* records(engine: Engine): AsyncGenerator<TaskRecord> {
  for await (const [, value] of engine.table('tasks').entries()) yield value as TaskRecord;
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
  const changed = await changeRecord(engine.table('tasks'), task.id, (record) => {
    const present = record ?? newRecord(task);
    if (finalStates.includes(present.state)) return null;
    if (present.state === 'running') return { ...present, cancelAsked: true };
    return { ...present, state: 'cancelled', endedAt: engine.now() };
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
    // Whoever put it into the queue may have ended in between.
    if (record.state === 'queued' && !(await engine.peek(task.id))) {
      await engine.submit([task]);
      count += 1;
    }
    if (!['failed', 'poison', 'cancelled'].includes(record.state)) continue;
    const changed = await changeRecord(engine.table('tasks'), task.id, (present) =>
      present && finalStates.includes(present.state) && present.state !== 'done'
        ? { ...newRecord(task), generation: present.generation + 1, usage: present.usage }
        : null,
    );
    if (!changed) continue;
    await engine.submit([task]);
    count += 1;
  }
  return count;
}

/** A question of a task that waits for an answer. */
export interface WaitingQuestion {
  /** `TASK`, or `TASK.2` where a task has several. */
  id: string;
  task: TaskRecord;
  index: number;
}

/** The questions of all tasks that wait for an answer. */
export async function waitingQuestions(engine: Engine): Promise<WaitingQuestion[]> {
  const found: WaitingQuestion[] = [];
  for await (const task of records(engine)) {
    if (task.state !== 'parked') continue;
    const { questions = [] } = task;
    questions.forEach(({ answer }, index) => {
      const id = questions.length === 1 ? task.task.id : `${task.task.id}.${index + 1}`;
      if (!answer) found.push({ id, task, index });
    });
  }
  return found;
}

/** Answers a question; the task goes on once all of its questions are answered. Gives how many still wait. */
export async function answerQuestion(
  engine: Engine,
  id: string,
  answer: { agrees: boolean; reason?: string },
): Promise<number> {
  const found = (await waitingQuestions(engine)).filter((question) => question.id.startsWith(id));
  if (found.length !== 1)
    throw new SettingsError(
      found.length === 0
        ? `No question ${id} waits in this fleet. toolwright fleet questions lists them.`
        : `${id} is the beginning of ${found.length} questions.`,
    );
  const [{ task, index }] = found as [WaitingQuestion];
  const { digest } = task.questions![index]!;
  const left = await answerDigest(engine, { task: task.task.id, digest }, answer);
  if (left === null) throw new SettingsError(`The question ${id} was answered or withdrawn meanwhile.`);
  return left;
}

/** Answers exactly the question that the digest names. Gives how many of the task still wait; null where it is not open. */
export async function answerDigest(
  engine: Engine,
  { task, digest }: { task: string; digest: string },
  answer: { agrees: boolean; reason?: string },
): Promise<number | null> {
  const record = await changeRecord(engine.table('tasks'), task, (present) => {
    const { questions = [] } = present ?? {};
    const index = questions.findIndex((question) => question.digest === digest && !question.answer);
    if (present?.state !== 'parked' || index === -1) return null;
    const answered = questions.map((each, at) => (at === index ? { ...each, answer } : each));
    const isWhole = answered.every((each) => each.answer);
    return {
      ...present,
      questions: answered,
      ...(isWhole ? { state: 'queued' as const, generation: present.generation + 1 } : {}),
    };
  });
  if (!record) return null;
  if (record.state === 'queued') await engine.submit([record.task]);
  return record.questions!.filter((each) => !each.answer).length;
}
