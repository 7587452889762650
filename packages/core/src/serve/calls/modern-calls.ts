import type { CallToolResult, Server, ServerContext } from '@modelcontextprotocol/server';
import { canonical, type JsonObject } from '@toolwright/machine/base/json.js';
import { oneAtATime } from '@toolwright/machine/base/one-at-a-time.js';
import type { RawCall } from '../../model/model.js';
import { answerTasks, type TaskRequestNeeds, toModernTask } from '../tasks/task-requests.js';
import { callOf, hearerOf } from './call-request.js';
import { capabilitiesOf, knowsTasks, MissingCapability } from './client.js';
import { type Rounds, responseOf } from './rounds.js';
import type { RunCalls, ServedCallNeeds } from './run-calls.js';

export interface ModernCallNeeds extends ServedCallNeeds, TaskRequestNeeds {
  runs: RunCalls;
  rounds: Rounds;
  taskAfterMs: number;
}

/** Serves calls of the revision of 2026-07-28: a question is the response to the call, and a call that takes long becomes a task. */
export function serveModernCalls(server: Server, needs: ModernCallNeeds): void {
  const { sdk } = needs;
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const call = callOf(params, needs);
    const capabilities = capabilitiesOf(server, ctx, sdk.CLIENT_CAPABILITIES_META_KEY);
    try {
      return (await respond(call, ctx, { ...needs, capabilities })) as CallToolResult;
    } catch (error) {
      if (!(error instanceof MissingCapability)) throw error;
      const requiredCapabilities = { [error.capability]: {} };
      throw new sdk.MissingRequiredClientCapabilityError({ requiredCapabilities }, error.message);
    }
  });
  answerTasks(server, needs);
}

async function respond(
  call: RawCall,
  ctx: ServerContext,
  { runs, rounds, tasks, taskAfterMs, clock, capabilities }: ModernCallNeeds & { capabilities: JsonObject },
): Promise<object> {
  const mayBeTask = knowsTasks(capabilities) && tasks.hasRoom();
  const round = {
    request: JSON.stringify(canonical({ name: call.name, arguments: call.arguments })),
    start: runs.starting(call, { client: {}, capabilities, oneQuestion: oneAtATime() }),
    hearer: hearerOf(ctx, call.name),
    deadline: mayBeTask ? { ms: taskAfterMs, clock } : null,
  };
  const { call: underWay, state } = await rounds.next(round, ctx);
  if (state.kind !== 'working') return responseOf(state);
  return { resultType: 'task', ...toModernTask(tasks.create(underWay)) };
}
