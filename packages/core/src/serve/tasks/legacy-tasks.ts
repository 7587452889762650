import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import type { CallerRequests } from '../../tools/caller/caller.js';
import type { CallUnderWay } from '../calls/call-under-way.js';
import { askNow } from '../calls/client.js';
import { cancel, findTask, schemas, type TaskRequestNeeds } from './task-requests.js';
import { isOver, TASK_TTL_MS, type TaskView } from './task-view.js';
import type { Task } from './tasks.js';

/**
 * Tasks of the revision of 2025-11-25: a client asks for one with its call and fetches the result later. There is no
 * list of tasks: clients share one token, and an id is known to the client alone that made the task.
 */
export const legacyTasksCapability = { cancel: {}, requests: { tools: { call: {} } } };

const POLL_MS = 1_000;
const RELATED = 'io.modelcontextprotocol/related-task';

export interface LegacyTaskNeeds extends TaskRequestNeeds {
  questionLimitMs: number;
}

/** Answers the requests of clients of that revision about their tasks. */
export function answerLegacyTasks(server: Server, needs: LegacyTaskNeeds): void {
  const { sdk } = needs;
  server.setRequestHandler('tasks/get', schemas, async (params) =>
    toLegacyTask(await (await findTask(params, needs)).view()),
  );
  server.setRequestHandler('tasks/result', schemas, async (params, ctx) =>
    resultOf(await findTask(params, needs), ctx, needs),
  );
  server.setRequestHandler('tasks/cancel', schemas, async (params) => {
    const task = await findTask(params, needs);
    const { status } = await task.view();
    if (isOver(status))
      throw new sdk.ProtocolError(
        sdk.ProtocolErrorCode.InvalidParams,
        `The task can't be cancelled: it is ${status} already.`,
      );
    await cancel(task, sdk);
    return toLegacyTask(await task.view());
  });
}

/** Words the task for that revision, in which a task has failed where its call has, although it has a result. */
export function toLegacyTask(view: TaskView): JsonObject {
  const { id, status, statusMessage, createdAt, updatedAt, result, error } = view;
  return {
    taskId: id,
    status: isFailure(result) ? 'failed' : status,
    statusMessage: error?.message ?? (statusMessage || undefined),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttl: TASK_TTL_MS,
    pollInterval: POLL_MS,
  };
}

function isFailure(result: unknown): boolean {
  return isJsonObject(result) && result['isError'] === true;
}

/** The result of the task, once it has one. The client can be asked while it waits for this, and only then. */
async function resultOf(task: Task, ctx: ServerContext, needs: LegacyTaskNeeds): Promise<JsonObject> {
  const { ProtocolError, ProtocolErrorCode } = needs.sdk;
  const { id, status: before } = await task.view();
  if (task.call && !isOver(before)) await askUntilSettled(task.call, id, ctx, needs);
  const { status, result, error } = await task.view();
  if (result) return { ...result, _meta: { ...metaOf(result), [RELATED]: { taskId: id } } };
  if (error) throw new ProtocolError(error.code, error.message);
  const why =
    status === 'cancelled' ? 'The task was cancelled.' : 'Another server runs this task; ask that one.';
  throw new ProtocolError(ProtocolErrorCode.InvalidRequest, why);
}

function metaOf(result: object): JsonObject {
  const meta: unknown = '_meta' in result ? result._meta : null;
  return isJsonObject(meta) ? meta : {};
}

/** Waits for the end of the call, and puts its questions to the client meanwhile. */
async function askUntilSettled(
  call: CallUnderWay,
  taskId: string,
  ctx: ServerContext,
  { questionLimitMs }: LegacyTaskNeeds,
): Promise<void> {
  const { signal } = ctx.mcpReq;
  const ask = askNow(ctx, questionLimitMs);
  for (;;) {
    const state = await call.whenSettled(signal);
    if (state.kind !== 'asking') return;
    await ask(related(state.requests, taskId), signal).then(
      (answers) => call.answer(answers),
      (error: unknown) => {
        // A client that went away may come back and be asked again.
        signal.throwIfAborted();
        call.failQuestion(error);
      },
    );
  }
}

function related(requests: CallerRequests, taskId: string): CallerRequests {
  return Object.fromEntries(
    Object.entries(requests).map(([name, { method, params }]) => [
      name,
      { method, params: { ...params, _meta: { [RELATED]: { taskId } } } },
    ]),
  );
}
