import type { CallToolResult, Server } from '@modelcontextprotocol/server';
import { oneAtATime } from '@toolwright/machine/base/one-at-a-time.js';
import { answerLegacyTasks, type LegacyTaskNeeds, toLegacyTask } from '../tasks/legacy-tasks.js';
import { callOf, hearerOf } from './call-request.js';
import { CallUnderWay, type Start } from './call-under-way.js';
import { askNow, capabilitiesOf, MissingCapability } from './client.js';
import { failedResult } from './content-blocks.js';
import type { RunCalls, ServedCallNeeds } from './run-calls.js';

export interface LegacyCallNeeds extends ServedCallNeeds, LegacyTaskNeeds {
  runs: RunCalls;
}

/** Serves calls of the revisions before 2026: a client is asked while its call waits, and asks for a task itself. */
export function serveLegacyCalls(server: Server, needs: LegacyCallNeeds): void {
  const { sdk, runs, questionLimitMs } = needs;
  const oneOfClient = oneAtATime();
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const call = callOf(params, needs);
    const isTask = 'task' in params && params.task !== undefined;
    const capabilities = capabilitiesOf(server, ctx, sdk.CLIENT_CAPABILITIES_META_KEY);
    const [client, oneQuestion] = isTask ? [{}, oneAtATime()] : [server, oneOfClient];
    const start = withRefusalAsResult(runs.starting(call, { client, capabilities, oneQuestion }));
    if (isTask) return beginTask(start, needs);
    const hearer = hearerOf(ctx, call.name);
    const given = { ask: askNow(ctx, questionLimitMs), signal: ctx.mcpReq.signal, hearer: () => hearer };
    return (await start(given)) as CallToolResult;
  });
  answerLegacyTasks(server, needs);
}

/** A client that can't be asked reads so in the result of its call: these revisions have no error for it. */
function withRefusalAsResult(start: Start): Start {
  return (given) =>
    start(given).catch((error: unknown) => {
      if (error instanceof MissingCapability) return failedResult(error.message);
      throw error;
    });
}

function beginTask(start: Start, { tasks, sdk, clock, questionLimitMs }: LegacyCallNeeds): CallToolResult {
  if (!tasks.hasRoom())
    throw new sdk.ProtocolError(
      sdk.ProtocolErrorCode.InvalidRequest,
      'There are too many tasks. Wait until some are over, or call the tool without a task.',
    );
  const task = tasks.create(new CallUnderWay(start, { clock, questionLimitMs }));
  // The library takes no answer to a call without content.
  return { content: [], task: toLegacyTask(task) };
}
