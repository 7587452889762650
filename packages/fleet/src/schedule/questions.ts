import { SettingsError } from '@toolwright/core';
import type { ParkedQuestion } from '@toolwright/core/front-end';
import type { Engine } from '../engine/engine.js';
import type { TaskWorkspace } from '../tasks/task.js';
import { records } from './control.js';
import { changeRecord, entryOf, requestOf, type TaskRecord } from './record.js';
import { whileMoving } from './requeue.js';

/** A question of a task that waits for an answer, as plain data. */
export interface WaitingQuestion {
  /** The id of the task, or `TASK.2` where it has several questions. */
  id: string;
  taskId: string;
  title: string;
  workspace: TaskWorkspace;
  /** Changes with anything that the question is about. */
  digest: string;
  request: ParkedQuestion['request'];
}

/** The user's answer to a question. */
export interface QuestionAnswer {
  agrees: boolean;
  /** The reason for a no, which the model reads. */
  reason?: string | undefined;
}

/** The questions of all tasks that wait for an answer, the oldest task first. */
export async function waitingQuestions(engine: Engine): Promise<WaitingQuestion[]> {
  const found: WaitingQuestion[] = [];
  for await (const record of records(engine)) found.push(...(await questionsOf(engine, record)));
  return found.sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** The questions of a task that wait for an answer, with all that they ask. */
export async function questionsOf(
  engine: Engine,
  { state, task, title, questions = [] }: TaskRecord,
): Promise<WaitingQuestion[]> {
  if (state !== 'parked') return [];
  const found: WaitingQuestion[] = [];
  for (const [index, { answer, digest }] of questions.entries()) {
    const request = answer ? null : await requestOf(engine, task.id, digest);
    const id = questions.length === 1 ? task.id : `${task.id}.${index + 1}`;
    if (request) found.push({ id, taskId: task.id, title, workspace: task.workspace, digest, request });
  }
  return found;
}

/** Answers a question; the task goes on once all of its questions are answered. Gives how many still wait. */
export async function answerQuestion(engine: Engine, id: string, answer: QuestionAnswer): Promise<number> {
  const { taskId, digest } = await requireQuestion(engine, id);
  const left = await answerDigest(engine, { task: taskId, digest }, answer);
  if (left === null) throw new SettingsError(`The question ${id} was answered or withdrawn meanwhile.`);
  return left;
}

/** Answers exactly the question that the digest names. Gives how many of the task still wait; null where it is not open. */
export async function answerDigest(
  engine: Engine,
  { task, digest }: { task: string; digest: string },
  answer: QuestionAnswer,
): Promise<number | null> {
  return whileMoving(engine, task, async () => {
    const record = await changeRecord(engine, task, (present) =>
      present?.state === 'parked' ? withAnswer(present, digest, answer) : null,
    );
    if (!record) return null;
    if (record.state === 'queued') await engine.submit([entryOf(record)]);
    return record.questions!.filter((each) => !each.answer).length;
  });
}

async function requireQuestion(engine: Engine, id: string): Promise<WaitingQuestion> {
  const waiting = await waitingQuestions(engine);
  const exact = waiting.find((question) => question.id === id);
  const found = exact ? [exact] : waiting.filter((question) => question.id.startsWith(id));
  if (found.length === 1) return found[0]!;
  throw new SettingsError(
    found.length === 0
      ? `No question ${id} waits in this fleet. toolwright fleet questions lists them.`
      : `${id} is the beginning of ${found.length} questions. toolwright fleet questions lists them.`,
  );
}

function withAnswer(record: TaskRecord, digest: string, answer: QuestionAnswer): TaskRecord | null {
  const open = record.questions?.find((question) => question.digest === digest && !question.answer);
  if (!open) return null;
  const questions = record.questions!.map((each) => (each === open ? { ...each, answer } : each));
  if (questions.some((each) => !each.answer)) return { ...record, questions };
  return { ...record, questions, state: 'queued', generation: record.generation + 1 };
}
