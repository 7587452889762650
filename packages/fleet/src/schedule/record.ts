import { SettingsError } from '@toolwright/core';
import type { CheckResult, ParkedQuestion } from '@toolwright/core/front-end';
import type { Engine, Row } from '../engine/engine.js';
import { isOfNewerFormat, isTask } from '../tasks/is-task.js';
import { type QueueEntry, type Task, titleOf } from '../tasks/task.js';

/** The state of a task. */
export type TaskState = 'queued' | 'running' | 'parked' | 'done' | 'failed' | 'poison' | 'cancelled';

/** States that a task never leaves by itself. */
export const finalStates: readonly TaskState[] = ['done', 'failed', 'poison', 'cancelled'];

/** The turns, calls, tokens and cost of a task. */
export interface TaskUsage {
  turns: number;
  calls: number;
  inputTokens: number;
  outputTokens: number;
  /** Dollars, where the prices are known. */
  cost: number;
  /** Milliseconds of work. */
  ms: number;
}

export const noUsage: TaskUsage = {
  turns: 0,
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cost: 0,
  ms: 0,
};

/** Why a task failed. */
export interface TaskFailure {
  kind: string;
  message: string;
  /** The time for which the provider wants to be left alone. */
  retryAfterMs?: number;
  provider?: string;
}

/** The base of a task's changes: the folder, and the commit of a clone. */
export interface TaskBase {
  folder: string;
  commit?: string;
}

/** The last moment that another worker can go on from; the objects of this token hold journal and change set. */
export interface Snapshot {
  token: string;
  session: string;
  base: TaskBase;
}

/** The one result of a task. */
export interface TaskOutcome {
  /** The end of the last answer. */
  response: string;
  /** `2 files changed`; empty where nothing was changed. */
  summary: string;
  files: number;
  added: number;
  removed: number;
  /** Changes that were left out, and why. */
  leftOut: string[];
  check?: CheckResult;
  base: TaskBase;
}

/** The place where the user has kept the change set of a task. */
export interface KeptChanges {
  as: 'patch' | 'branch' | 'folder';
  /** The path of the patch, the name of the branch, or the folder. */
  where: string;
}

/** A question of a task in its record, which servers keep small: all that is asked is an object of its own. */
export interface KeptQuestion extends Pick<ParkedQuestion, 'digest' | 'answer'> {
  title: string;
  description: string;
  reason: string;
}

/** The record of a task that was begun. */
export interface TaskRecord {
  v: 1;
  task: Task;
  title: string;
  state: TaskState;
  /** The claim of the worker that has it; null while nobody does. */
  token: string | null;
  worker?: string;
  /** The sign of life of that worker, by its key. */
  by?: string;
  /** Times that it was begun, and how often its worker was gone before the end. */
  attempts: number;
  crashes: number;
  failures: number;
  /** The number of times it was put into the queue. */
  generation: number;
  startedAt?: number;
  endedAt?: number;
  usage: TaskUsage;
  snapshot?: Snapshot;
  questions?: KeptQuestion[];
  outcome?: TaskOutcome;
  failure?: TaskFailure;
  kept?: KeptChanges;
  cancelAsked?: true;
  /** It was cancelled before anybody claimed it: the next worker takes it out of the queue. */
  isQueuedStill?: true;
}

/** Version of the format of records. */
const RECORD_FORMAT = 1;

export function newRecord({ generation = 1, ...task }: Task): TaskRecord {
  return {
    v: RECORD_FORMAT,
    task,
    title: titleOf(task),
    state: 'queued',
    token: null,
    attempts: 0,
    crashes: 0,
    failures: 0,
    generation,
    usage: noUsage,
  };
}

/** The entry of the queue for a record that waits: it counts only while the record has its generation. */
export function entryOf({ task, generation }: Pick<TaskRecord, 'task' | 'generation'>): Task {
  return { ...task, generation };
}

/** True for an entry that a later one has replaced. */
export function isStale(task: QueueEntry, record: Pick<TaskRecord, 'generation'>): boolean {
  return (task.generation ?? 1) < record.generation;
}

/** The record of a row. Throws where a newer program has written it, or somebody else. */
export function recordIn(row: Pick<Row, 'value'> | null): TaskRecord | null {
  if (!row) return null;
  const record = row.value as TaskRecord;
  if (record?.v > RECORD_FORMAT)
    throw new NewerRecord(
      `The record of ${record.task?.id} is of a newer version of toolwright; update this one.`,
    );
  if (record?.v === RECORD_FORMAT && isTask(record.task)) return record;
  if (record?.v === RECORD_FORMAT && isOfNewerFormat(record.task)) throw newerTask(record.task);
  throw new SettingsError('The store of the fleet holds a record that toolwright has not written.');
}

function newerTask({ id }: QueueEntry): NewerRecord {
  return new NewerRecord(`The task ${id} is of a newer version of toolwright; update this one.`);
}

/** Null for a record of a newer version, and for what is none: such rows are left alone, and the others are read all the same. */
export function readable(row: Pick<Row, 'value'>): TaskRecord | null {
  try {
    return recordIn(row);
  } catch (error) {
    if (error instanceof SettingsError) return null;
    throw error;
  }
}

/** A record that only newer programs can read. */
export class NewerRecord extends SettingsError {}

/**
 * Changes a record by compare-and-swap until it holds; null from `change` leaves it, and is given back. Objects that the record names no
 * more are removed.
 */
export async function changeRecord(
  { table, objects }: Pick<Engine, 'table' | 'objects'>,
  id: string,
  change: (record: TaskRecord | null) => TaskRecord | null,
): Promise<TaskRecord | null> {
  for (;;) {
    const row = await table('tasks').get(id);
    const before = recordIn(row);
    const next = change(before);
    if (next === null) return null;
    if ((await table('tasks').put(id, next, row?.revision ?? null)) === null) continue;
    const named = objectsNamedBy(next);
    for (const name of objectsNamedBy(before)) if (!named.has(name)) await objects.remove(name);
    return next;
  }
}

/** The objects in the store that a record names: those of its deliveries, and its questions. */
export function objectsNamedBy(record: TaskRecord | null): Set<string> {
  if (!record) return new Set();
  const { id } = record.task;
  const tokens = [record.token, record.snapshot?.token].filter((token) => typeof token === 'string');
  const questions = (record.questions ?? []).map(({ digest }) => questionName(id, digest));
  return new Set([...tokens.flatMap((token) => objectsOf({ id, token })), ...questions]);
}

/** The objects of a delivery in the store. */
export type KeptObject = 'journal' | 'changes' | 'patch';

const keptObjects: readonly KeptObject[] = ['journal', 'changes', 'patch'];

interface Delivery {
  id: string;
  token: string;
}

export function objectName({ id, token }: Delivery, object: KeptObject): string {
  return `${id}/${token}/${object}`;
}

function questionName(id: string, digest: string): string {
  return `${id}/${digest}/question`;
}

function objectsOf(delivery: Delivery): string[] {
  return keptObjects.map((object) => objectName(delivery, object));
}

/** Removes objects of a delivery that no record names: somebody else has the task now. */
export async function removeUnnamed(
  engine: Engine,
  { id, token, questions = [] }: Delivery & { questions?: readonly Pick<ParkedQuestion, 'digest'>[] },
): Promise<void> {
  const named = objectsNamedBy(recordIn(await engine.table('tasks').get(id)));
  const written = [...objectsOf({ id, token }), ...questions.map(({ digest }) => questionName(id, digest))];
  for (const name of written) if (!named.has(name)) await engine.objects.remove(name);
}

/** Keeps questions with all that they ask, before a record names them. */
export async function keepQuestions(
  { objects }: Pick<Engine, 'objects'>,
  id: string,
  questions: readonly ParkedQuestion[],
): Promise<void> {
  for (const { digest, request } of questions)
    await objects.put(questionName(id, digest), Buffer.from(JSON.stringify(request)));
}

/** All that a question asks; null where it was answered or withdrawn meanwhile. */
export async function requestOf(
  { objects }: Pick<Engine, 'objects'>,
  id: string,
  digest: string,
): Promise<ParkedQuestion['request'] | null> {
  const bytes = await objects.get(questionName(id, digest));
  return bytes && (JSON.parse(Buffer.from(bytes).toString('utf8')) as ParkedQuestion['request']);
}

/** The task's record, also of one that nobody has begun; null where there is no such task. */
export async function findRecord(engine: Engine, id: string): Promise<TaskRecord | null> {
  const record = recordIn(await engine.table('tasks').get(id));
  if (record) return record;
  const entry = await engine.peek(id);
  if (entry && !isTask(entry)) throw newerTask(entry);
  return entry && newRecord(entry);
}

export function addUsage(one: TaskUsage, other: TaskUsage): TaskUsage {
  const keys = Object.keys(noUsage) as (keyof TaskUsage)[];
  return Object.fromEntries(
    keys.map((key) => [key, (one[key] ?? 0) + (other[key] ?? 0)]),
  ) as unknown as TaskUsage;
}
