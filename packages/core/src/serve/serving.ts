import type { CallToolResult, Server, ServerContext } from '@modelcontextprotocol/server';
import { type AbortReason, messageOf, ToolError } from '@toolwright/machine/base/errors.js';
import { canonical } from '@toolwright/machine/base/json.js';
import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import { withinDeadline } from '@toolwright/machine/host/deadline.js';
import type { Clock, Log } from '@toolwright/machine/host/host.js';
import type { RawCall } from '../model/model.js';
import type { ConfirmRequest, Outcome } from '../scheduler/call.js';
import type { Scheduler } from '../scheduler/scheduler.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import { askNow, canBeAsked, cantBeAsked } from './ask-client.js';
import { failedResult, toCallResult } from './content-blocks.js';
import {
  type Confirm,
  createOpenCalls,
  type OpenCalls,
  type Start,
  type Step,
  type WaitingRequest,
} from './open-calls.js';
import { reportProgress } from './progress.js';
import { toElicitation, toOutcome } from './question.js';
import { loadServerSdk, type ServerSdk } from './server-sdk.js';
import { isServed, listTools } from './tool-list.js';
import { createTurns } from './turns.js';

/** The tools that are offered to other agents, and all that is needed to call them. */
export interface ServingNeeds {
  registry: ToolRegistry;
  scheduler: Scheduler;
  clock: Clock;
  log: Log;
  /** The folder the tools work in. */
  directory: string;
  /** The short form of a path, for questions. */
  show?(path: string): string;
  version: string;
  /** Takes secrets out of a text. */
  clean(text: string): string;
  questionLimitMs?: number;
}

/** The tools, ready to be served over any number of connections. */
export interface Serving {
  /** A server for one connection, or for one request where there are no connections. */
  server(era: Era): Server;
  onToolsChanged(listener: () => void): () => void;
  /** Stops the calls that are under way, and waits for them. */
  close(): Promise<void>;
}

/** In the older revisions of the protocol a server may ask while a call waits; in the newer one it asks by an answer. */
type Era = 'legacy' | 'modern';

const QUESTION_LIMIT_MS = 5 * 60_000;
const CLOSE_LIMIT_MS = 10_000;
const QUESTION = 'approval';

export async function openServing(parts: ServingNeeds): Promise<Serving> {
  const sdk = await loadServerSdk();
  const ending = new AbortController();
  const running = new Set<Promise<unknown>>();
  const turns = createTurns(parts.registry);
  const limitMs = parts.questionLimitMs ?? QUESTION_LIMIT_MS;
  const openCalls = createOpenCalls(parts.clock, { limitMs });

  const starting =
    (call: RawCall): Start =>
    (confirm, leg) => {
      const signal = AbortSignal.any([leg.signal, ending.signal]);
      const ended = turns(call, signal, () => runCall(call, parts, { ...leg, confirm, signal }));
      running.add(ended);
      void ended.catch(() => undefined).then(() => running.delete(ended));
      return ended;
    };

  return {
    server(era) {
      const server = new sdk.Server(
        { name: 'toolwright', title: 'Toolwright', version: parts.version },
        { capabilities: { tools: { listChanged: true } }, instructions: instructionsFor(parts.directory) },
      );
      server.onerror = (error) => parts.log.debug('mcp serve', messageOf(error));
      server.setRequestHandler('tools/list', () => ({ tools: listTools(parts.registry) }));
      server.setRequestHandler('tools/call', async ({ params }, ctx) => {
        const call = callOf(params, parts.registry, sdk);
        const start = starting(call);
        const leg = waitingRequest(ctx);
        if (!canBeAsked(server, ctx, sdk.CLIENT_CAPABILITIES_META_KEY)) return start(cantBeAsked, leg);
        if (era === 'legacy') return start(askNow(ctx, { limitMs, ...parts }), leg);
        return toAnswer(await nextStep(call, { ctx, start, openCalls, sdk }), sdk, parts);
      });
      return server;
    },
    onToolsChanged: (listener) => parts.registry.onChange(listener),
    async close() {
      ending.abort({ kind: 'shutdown' } satisfies AbortReason);
      await withinDeadline(Promise.allSettled(running), { ms: CLOSE_LIMIT_MS, clock: parts.clock });
    },
  };
}

function instructionsFor(directory: string): string {
  return `Tools that work on the folder ${directory} and nowhere else. Read a file before you change it. A call that changes or reaches something may be asked about or refused; a refusal says why, and is not to be got around.`;
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

function waitingRequest({ mcpReq }: ServerContext): WaitingRequest {
  const { signal } = mcpReq;
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { signal };
  return {
    signal,
    tell(progress) {
      const params = { progressToken, ...progress };
      void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    },
  };
}

async function runCall(
  call: RawCall,
  { scheduler, clock, clean }: ServingNeeds,
  { confirm, signal, tell }: WaitingRequest & { confirm: Confirm },
): Promise<CallToolResult> {
  const progress = tell ? reportProgress(clock, tell) : null;
  try {
    const [settled] = await scheduler.run([call], signal, {
      confirm,
      emit(event) {
        if (event.type === 'call-update') progress?.output(clean(event.delta));
      },
    });
    return settled ? toCallResult(settled, clean) : failedResult('The call was not answered.');
  } finally {
    progress?.end();
  }
}

interface Arrival {
  ctx: ServerContext;
  start: Start;
  openCalls: OpenCalls;
  sdk: ServerSdk;
}

/** Begins a new call, or goes on with one that comes back with the user's answer. */
async function nextStep(call: RawCall, { ctx, start, openCalls, sdk }: Arrival): Promise<Step> {
  const leg = waitingRequest(ctx);
  const what = JSON.stringify(canonical({ name: call.name, arguments: call.arguments }));
  const ticket = ctx.mcpReq.requestState<unknown>();
  if (ticket === undefined) return openCalls.begin(what, start, leg);
  const open = typeof ticket === 'string' ? openCalls.find(ticket, what) : null;
  if (!open)
    throw new sdk.ProtocolError(
      sdk.ProtocolErrorCode.InvalidParams,
      'No question of this call waits for an answer: it was answered, or it took too long. Send the call anew.',
    );
  const answer = sdk.inputResponse(ctx.mcpReq.inputResponses, QUESTION);
  return answer.kind === 'elicit' ? open.answer(outcomeOf(answer, open.request), leg) : open.again();
}

function outcomeOf(
  { action, content = {} }: { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, unknown> },
  request: ConfirmRequest,
): Outcome {
  const plain = Object.entries(content).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return toOutcome({ action, content: Object.fromEntries(plain) }, request);
}

function toAnswer(step: Step, { inputRequired }: ServerSdk, parts: ServingNeeds) {
  if ('result' in step) return step.result;
  const elicit = inputRequired.elicit(toElicitation(step.request, parts));
  return inputRequired({ inputRequests: { [QUESTION]: elicit }, requestState: step.ticket });
}
