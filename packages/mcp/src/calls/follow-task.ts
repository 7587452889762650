import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import type { Clock } from '@toolwright/machine/host/host.js';
import { plainText } from '../contract/plain-text.js';
import type { Answers } from '../server-requests/answers.js';
import { ServerAnswerError } from '../session/describe-error.js';
import { answerEach } from '../session/input-rounds.js';

const STATUSES = ['working', 'input_required', 'completed', 'failed', 'cancelled'] as const;

/** Work that a server goes on with after it has answered the call; its result is asked for later. */
export interface Task {
  id: string;
  status: (typeof STATUSES)[number];
  message: string;
  /** The pause before the next question. */
  pollMs: number;
  /** The time for which the server keeps the task; null when it does not say. */
  ttlMs: number | null;
  /** The older revision has the result under a request of its own, and asks for input there. */
  isOlder: boolean;
  /** The task as it was sent, with result, error and questions of the newer revision. */
  whole: JsonObject;
}

const [SHORTEST_POLL_MS, USUAL_POLL_MS, LONGEST_POLL_MS] = [50, 1_000, 30_000];
const LONGEST_MESSAGE = 500;
const MOST_QUESTIONS = 20;

/** The task that answers a call; null when the answer is the result itself. */
export function taskIn(answer: JsonObject): Task | null {
  if (answer['resultType'] === 'task') return readTask(answer, false);
  return isJsonObject(answer['task']) ? readTask(answer['task'], true) : null;
}

function readTask(task: JsonObject, isOlder: boolean): Task {
  const { taskId, statusMessage } = task;
  const status = STATUSES.find((known) => known === task['status']);
  if (typeof taskId !== 'string' || taskId === '' || status === undefined)
    throw new Error('it answered with a task that has no id or no known status');
  const poll = Number(task['pollIntervalMs'] ?? task['pollInterval'] ?? USUAL_POLL_MS);
  const ttl = task['ttlMs'] ?? task['ttl'];
  return {
    id: taskId,
    status,
    message: typeof statusMessage === 'string' ? plainText(statusMessage).slice(0, LONGEST_MESSAGE) : '',
    pollMs: Math.min(Math.max(Number.isFinite(poll) ? poll : 0, SHORTEST_POLL_MS), LONGEST_POLL_MS),
    ttlMs: typeof ttl === 'number' && ttl > 0 ? ttl : null,
    isOlder,
    whole: task,
  };
}

export type AskAboutTask = (method: string, params: JsonObject) => Promise<JsonObject>;

export interface FollowOptions {
  ask: AskAboutTask;
  answers: Pick<Answers, 'answer'>;
  clock: Clock;
  /** Called with each state that the server tells. */
  onStatus(task: Task): void;
  signal: AbortSignal;
}

/** Asks for the state of a task until it is over, answers its questions, and gives the result of the call. */
export async function followTask(first: Task, options: FollowOptions): Promise<JsonObject> {
  const { ask, clock, signal, onStatus } = options;
  const answered = new Set<string>();
  for (let task = first; ; task = await lookAtTask(task, ask)) {
    onStatus(task);
    if (task.status === 'completed' || task.status === 'failed') return resultOf(task, ask);
    if (task.status === 'cancelled') throw new Error(`the server cancelled its task${reasonOf(task)}`);
    if (task.status === 'input_required') {
      if (task.isOlder) return ask('tasks/result', { taskId: task.id });
      await giveInput(task, answered, options);
    }
    await clock.sleep(task.pollMs, signal);
  }
}

export async function lookAtTask(
  { id, isOlder }: Pick<Task, 'id' | 'isOlder'>,
  ask: AskAboutTask,
): Promise<Task> {
  return readTask(await ask('tasks/get', { taskId: id }), isOlder);
}

async function resultOf(
  { id, isOlder, status, whole, message }: Task,
  ask: AskAboutTask,
): Promise<JsonObject> {
  if (isOlder) return ask('tasks/result', { taskId: id });
  const { result, error } = whole;
  if (status === 'completed') {
    if (isJsonObject(result)) return result;
    throw new Error('its task was completed without a result');
  }
  const code = isJsonObject(error) ? error['code'] : undefined;
  const said = isJsonObject(error) ? error['message'] : undefined;
  throw new ServerAnswerError(
    typeof code === 'number' ? code : INTERNAL_ERROR,
    typeof said === 'string' ? said : message || 'its task failed and it does not say why',
  );
}

const INTERNAL_ERROR = -32_603;

/** A question is listed until the server has read the answer; it is put to the user once. */
async function giveInput({ id, whole }: Task, answered: Set<string>, options: FollowOptions): Promise<void> {
  const listed = isJsonObject(whole['inputRequests']) ? whole['inputRequests'] : {};
  const open = Object.entries(listed).filter(([key]) => !answered.has(key));
  if (open.length === 0) return;
  for (const [key] of open) answered.add(key);
  if (answered.size > MOST_QUESTIONS)
    throw new Error(`its task asked more than ${MOST_QUESTIONS} questions and never came to an end`);
  const inputResponses = await answerEach(options.answers, Object.fromEntries(open), options.signal);
  await options.ask('tasks/update', { taskId: id, inputResponses });
}

function reasonOf({ message }: Task): string {
  return message === '' ? '' : `: ${message}`;
}
