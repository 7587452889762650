import type { CallToolResult, Server, ServerContext } from '@modelcontextprotocol/server';
import { messageOf, ToolError } from '@toolwright/machine/base/errors.js';
import { canonical, type JsonObject } from '@toolwright/machine/base/json.js';
import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import type { RawCall } from '../../model/model.js';
import { oneAtATime } from '../../scheduler/call.js';
import type { ToolRegistry } from '../../tools/tool-registry.js';
import { isServed } from '../offers/tool-list.js';
import type { ServerSdk } from '../server-sdk.js';
import { askNow, capabilitiesOf, knowsTasks, MissingCapability } from './client.js';
import { failedResult } from './content-blocks.js';
import type { Hearer } from './live-reports.js';
import { answerOf, type Rounds } from './rounds.js';
import { createRunCalls, type ServedCallNeeds } from './run-calls.js';
import { answerTasks } from './task-requests.js';
import { createTasks } from './tasks.js';

/** In the older revisions of the protocol a server may ask while a call waits; in the newer one it asks by an answer. */
export type Era = 'legacy' | 'modern';

export interface ServeCallsNeeds extends ServedCallNeeds {
  sdk: ServerSdk;
  rounds: Rounds;
  questionLimitMs: number;
  /** A call that takes longer becomes a task, where the client knows of tasks. */
  taskAfterMs?: number;
}

export interface ServedCalls {
  /** Answers the requests about calls that come to this server. */
  addTo(server: Server, era: Era): void;
  close(): Promise<void>;
}

const TASK_AFTER_MS = 5_000;

export function serveCalls(needs: ServeCallsNeeds): ServedCalls {
  const { sdk, registry, clock, rounds, questionLimitMs, taskAfterMs = TASK_AFTER_MS } = needs;
  const runs = createRunCalls(needs);
  const tasks = createTasks(clock);

  async function answerModern(call: RawCall, ctx: ServerContext, capabilities: JsonObject): Promise<object> {
    const mayBeTask = knowsTasks(capabilities) && tasks.hasRoom();
    const round = {
      what: JSON.stringify(canonical({ name: call.name, arguments: call.arguments })),
      start: runs.starting(call, { capabilities, oneQuestion: oneAtATime() }),
      hearer: hearerOf(ctx, call.name),
      patience: mayBeTask ? { ms: taskAfterMs, clock } : null,
    };
    const { call: underWay, state } = await rounds.next(round, ctx);
    return state.kind === 'working' ? tasks.create(underWay) : answerOf(state);
  }

  return {
    addTo(server, era) {
      const oneQuestion = oneAtATime();
      server.setRequestHandler('tools/call', async ({ params }, ctx) => {
        const call = callOf(params, registry, sdk);
        const capabilities = capabilitiesOf(server, ctx, sdk.CLIENT_CAPABILITIES_META_KEY);
        try {
          if (era === 'modern') return (await answerModern(call, ctx, capabilities)) as CallToolResult;
          const hearer = hearerOf(ctx, call.name);
          const start = runs.starting(call, { capabilities, oneQuestion });
          const ask = askNow(ctx, questionLimitMs);
          return (await start({ ask, signal: ctx.mcpReq.signal, hearer: () => hearer })) as CallToolResult;
        } catch (error) {
          if (!(error instanceof MissingCapability)) throw error;
          if (era === 'legacy') return failedResult(error.message);
          const requiredCapabilities = { [error.capability]: {} };
          throw new sdk.MissingRequiredClientCapabilityError({ requiredCapabilities }, error.message);
        }
      });
      if (era === 'modern') answerTasks(server, tasks, sdk);
    },
    close: () => runs.close(),
  };
}

function callOf(
  { name, arguments: args }: { name: string; arguments?: Record<string, unknown> },
  registry: ToolRegistry,
  { ProtocolError, ProtocolErrorCode }: ServerSdk,
): RawCall {
  try {
    if (!isServed(registry.require(name)))
      throw new ToolError('unknown_tool', `${foreignText(name)} is not offered here.`);
  } catch (error) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, messageOf(error));
  }
  return { id: '', name, arguments: args ?? {} };
}

function hearerOf({ mcpReq }: ServerContext, tool: string): Hearer {
  const progressToken = mcpReq._meta?.progressToken;
  const log = (text: string): void => void mcpReq.log('info', text, tool).catch(() => undefined);
  if (progressToken === undefined) return { log };
  return {
    log,
    progress(progress) {
      const params = { progressToken, ...progress };
      void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    },
  };
}
