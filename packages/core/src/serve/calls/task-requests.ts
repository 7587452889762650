import type { Server, ServerContext, StandardSchemaV1 } from '@modelcontextprotocol/server';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import type { ServerSdk } from '../server-sdk.js';
import { capabilitiesOf, knowsTasks, tasksCapability } from './client.js';
import type { Task, Tasks } from './tasks.js';

/** Answers what clients ask about their tasks. */
export function answerTasks(server: Server, tasks: Tasks, sdk: ServerSdk): void {
  function requireTask({ taskId }: JsonObject, ctx: ServerContext): Task {
    if (!knowsTasks(capabilitiesOf(server, ctx, sdk.CLIENT_CAPABILITIES_META_KEY)))
      throw new sdk.MissingRequiredClientCapabilityError({ requiredCapabilities: tasksCapability });
    const task = typeof taskId === 'string' ? tasks.find(taskId) : null;
    if (task) return task;
    throw new sdk.ProtocolError(
      sdk.ProtocolErrorCode.InvalidParams,
      'There is no such task, or no longer: tasks are kept for an hour, and end with this server.',
    );
  }
  const schemas = { params: anyObject };

  server.setRequestHandler('tasks/get', schemas, async (params, ctx) => requireTask(params, ctx).describe());
  server.setRequestHandler('tasks/update', schemas, async (params, ctx) => {
    requireTask(params, ctx).answer(ctx.mcpReq.inputResponses);
    return {};
  });
  server.setRequestHandler('tasks/cancel', schemas, async (params, ctx) => {
    requireTask(params, ctx).cancel();
    return {};
  });
}

/** The library wants a schema for requests it does not know; what is needed is looked at where it is used. */
const anyObject: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'toolwright',
    validate: (value: unknown) => ({ value: value as JsonObject }),
  },
};
