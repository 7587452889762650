import type { Server, ServerContext, StandardSchemaV1 } from '@modelcontextprotocol/server';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import { capabilitiesOf, knowsTasks, tasksCapability } from '../calls/client.js';
import { answersIn } from '../calls/input-answers.js';
import type { ServerSdk } from '../server-sdk.js';
import { isOver, TASK_TTL_MS, type TaskView } from './task-view.js';
import type { Task, Tasks } from './tasks.js';

const POLL_MS = 1_000;

export interface TaskRequestNeeds {
  tasks: Tasks;
  sdk: ServerSdk;
}

/** Answers what clients of the newer revision ask about their tasks. */
export function answerTasks(server: Server, { tasks, sdk }: TaskRequestNeeds): void {
  async function requireTask(params: JsonObject, ctx: ServerContext): Promise<Task> {
    if (!knowsTasks(capabilitiesOf(server, ctx, sdk.CLIENT_CAPABILITIES_META_KEY)))
      throw new sdk.MissingRequiredClientCapabilityError({ requiredCapabilities: tasksCapability });
    return findTask(params, { tasks, sdk });
  }

  server.setRequestHandler('tasks/get', schemas, async (params, ctx) =>
    withOutcome(await (await requireTask(params, ctx)).view()),
  );
  server.setRequestHandler('tasks/update', schemas, async (params, ctx) => {
    const { call } = await requireTask(params, ctx);
    call?.answer(answersIn(ctx.mcpReq.inputResponses, call.state));
    return {};
  });
  server.setRequestHandler('tasks/cancel', schemas, async (params, ctx) => {
    await cancel(await requireTask(params, ctx), sdk);
    return {};
  });
}

export async function findTask({ taskId }: JsonObject, { tasks, sdk }: TaskRequestNeeds): Promise<Task> {
  const task = typeof taskId === 'string' ? await tasks.find(taskId) : null;
  if (task) return task;
  throw new sdk.ProtocolError(
    sdk.ProtocolErrorCode.InvalidParams,
    'There is no such task, or no longer: tasks are kept for an hour.',
  );
}

export async function cancel(task: Task, { ProtocolError, ProtocolErrorCode }: ServerSdk): Promise<void> {
  if (!task.call && !isOver((await task.view()).status))
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'Another server runs this task, and only that one can cancel it.',
    );
  task.cancel();
}

/** A task as the client hears of it when it is made. */
export function toModernTask(view: TaskView): JsonObject {
  return {
    taskId: view.id,
    status: view.status,
    statusMessage: view.statusMessage || undefined,
    createdAt: new Date(view.createdAt).toISOString(),
    lastUpdatedAt: new Date(view.updatedAt).toISOString(),
    ttlMs: TASK_TTL_MS,
    pollIntervalMs: POLL_MS,
  };
}

function withOutcome(view: TaskView): JsonObject {
  const { requests, result, error } = view;
  return { ...toModernTask(view), inputRequests: requests, result, error };
}

/** The library wants a schema for requests it does not know; what is needed is looked at where it is used. */
const anyObject: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'toolwright',
    validate: (value: unknown) => ({ value: value as JsonObject }),
  },
};
export const schemas = { params: anyObject };
