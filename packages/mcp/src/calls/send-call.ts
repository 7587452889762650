import { abortReason, describeAbort } from '@toolwright/machine/base/errors.js';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import { deadlineIn, withinDeadline } from '@toolwright/machine/host/deadline.js';
import type { McpCallOptions, McpFailure, McpProgress } from '../contract/connection.js';
import { mcpFailure, quoteServer, seconds } from '../contract/failure.js';
import type { ServerContext } from '../contract/needs.js';
import { plainText } from '../contract/plain-text.js';
import type { McpServerConfig } from '../contract/server-config.js';
import type { SavedTask, TaskCall } from '../contract/task-store.js';
import type { Answers } from '../server-requests/answers.js';
import { describeError } from '../session/describe-error.js';
import type { Session } from '../session/session.js';
import { type CallClock, startCallClock } from './call-clock.js';
import { type AskAboutTask, followTask, lookAtTask, type Task, taskIn } from './follow-task.js';

export interface ToolCall extends Pick<McpCallOptions, 'signal' | 'onProgress'> {
  session: Session;
  name: string;
  args: JsonObject;
  /** Arguments that are repeated in headers. */
  headers?: Record<string, string>;
  /** The tool runs as a task only. */
  asTask: boolean;
  /** A new session where the one of the call was lost: a task goes on without it. */
  renew(signal: AbortSignal): Promise<Session>;
}

export interface CallAnswer {
  answer: JsonObject;
  /** True for the result of a task that was started before this call. */
  isOfEarlierTask: boolean;
}

type CallContext = ServerContext & { answers: Answers };

/** Sends one `tools/call` under its two clocks. At a limit or an abort the server is told that nobody waits any more. */
export async function sendCall(context: CallContext, call: ToolCall): Promise<CallAnswer> {
  const { config, needs, limits, answers } = context;
  const { session, name, signal } = call;
  const idleMs = config.timeoutMs ?? limits.callIdle;
  const hardMs = Math.max(limits.callHard, config.timeoutMs ?? 0);
  const ending = new AbortController();
  let late: McpFailure | null = null;
  const clock = startCallClock({
    clock: needs.clock,
    idleMs,
    hardMs,
    isPaused: () => answers.isAsking() || session.isSigningIn(),
    onLimit: (limit) => {
      late = tooLate({ config, name, session, silence: limit === 'idle' ? idleMs : null, hardMs });
      ending.abort('the time limit was reached');
    },
  });
  const stop = () => ending.abort(describeAbort(signal));
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    return await answerTo(context, call, { clock, signal: ending.signal });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw late ?? error;
  } finally {
    clock.stop();
    signal.removeEventListener('abort', stop);
  }
}

interface Running {
  clock: CallClock;
  /** Ends at a limit, too. */
  signal: AbortSignal;
}

async function answerTo(context: CallContext, call: ToolCall, running: Running): Promise<CallAnswer> {
  const { session, name, args, headers, asTask } = call;
  const { clock, signal } = running;
  const earlier = await earlierTask(context, call, running);
  if (earlier)
    return { answer: await finish(context, call, { ...running, task: earlier }), isOfEarlierTask: true };
  const params = { name, arguments: args, task: asTask ? {} : undefined };
  const onProgress = (progress: McpProgress): void => {
    clock.progress();
    call.onProgress?.(cleaned(progress));
  };
  const answer = await session.request('tools/call', params, { signal, headers, onProgress });
  const task = taskIn(answer);
  if (!task) return { answer, isOfEarlierTask: false };
  await saveTask(context, call, task);
  return { answer: await finish(context, call, { ...running, task }), isOfEarlierTask: false };
}

const LONGEST_KEPT_MS = 7 * 24 * 3_600_000;
const SAVE_LIMIT_MS = 20_000;

async function saveTask(context: CallContext, call: ToolCall, task: Task | null): Promise<void> {
  const { tasks, clock } = context.needs;
  const startedAt = clock.now();
  const expiresAt = startedAt + Math.min(task?.ttlMs ?? LONGEST_KEPT_MS, LONGEST_KEPT_MS);
  const saved: SavedTask | null = task && { id: task.id, isOlder: task.isOlder, startedAt, expiresAt };
  await tasks?.save(taskCall(context, call), saved, deadlineIn(SAVE_LIMIT_MS));
}

function taskCall({ config: { alias, endpoint } }: CallContext, { name, args }: ToolCall): TaskCall {
  const where = endpoint.kind === 'stdio' ? [endpoint.command, ...endpoint.args] : [endpoint.url];
  return { server: JSON.stringify([alias, ...where]), tool: name, args };
}

/** The task of the same call that was started before this program ended; null when the server has none any more. */
async function earlierTask(context: CallContext, call: ToolCall, running: Running): Promise<Task | null> {
  const { tasks, clock } = context.needs;
  if (!tasks || !call.session.info.offers.tasks) return null;
  const saved = await tasks.find(taskCall(context, call), clock.now());
  if (!saved) return null;
  return lookAtTask(saved, asking(call, running)).catch(async (error: unknown) => {
    if (describeError(error, call.session.ending()).kind === 'lost') throw error;
    await saveTask(context, call, null);
    return null;
  });
}

/** Requests about a task; they go on in a new session when one is lost. */
function asking({ session, renew }: ToolCall, { signal }: Running): AskAboutTask {
  let current = session;
  return async (method, params) => {
    try {
      return await current.request(method, params, { signal });
    } catch (error) {
      const { kind, what } = describeError(error, current.ending());
      if (signal.aborted || kind !== 'lost') throw error;
      current.giveUp(what);
      current = await renew(signal);
      return current.request(method, params, { signal });
    }
  };
}

const CANCEL_LIMIT_MS = 2_000;

/** Follows a task to its end. It is cancelled when nobody wants it any more, and kept for later when this program ends. */
async function finish(
  context: CallContext,
  call: ToolCall,
  { task, clock, signal }: Running & { task: Task },
): Promise<JsonObject> {
  const { answers, needs } = context;
  let [steps, told] = [0, ''];
  const onStatus = ({ message }: Task): void => {
    clock.progress();
    if (message === '' || message === told) return;
    told = message;
    call.onProgress?.({ progress: ++steps, message });
  };
  const ask = asking(call, { clock, signal });
  try {
    const result = await followTask(task, { ask, answers, clock: needs.clock, onStatus, signal });
    await saveTask(context, call, null);
    return result;
  } catch (error) {
    const isKept = call.signal.aborted && abortReason(call.signal).kind === 'shutdown';
    if (isKept) throw error;
    if (signal.aborted) {
      const { signal: never } = new AbortController();
      const cancelled = asking(call, { clock, signal: never })('tasks/cancel', { taskId: task.id });
      await withinDeadline(
        cancelled.catch(() => null),
        { ms: CANCEL_LIMIT_MS, clock: needs.clock },
      );
    }
    await saveTask(context, call, null);
    throw error;
  }
}

interface Late {
  config: McpServerConfig;
  name: string;
  session: Session;
  silence: number | null;
  hardMs: number;
}

function tooLate({ config, name, session, silence, hardMs }: Late): McpFailure {
  const shown = quoteServer(name);
  const what =
    silence === null
      ? `the tool "${shown}" was not done after ${seconds(hardMs)}`
      : `the tool "${shown}" gave neither an answer nor a sign of progress for ${seconds(silence)}`;
  return mcpFailure({
    server: config.alias,
    stage: 'call',
    code: 'timeout',
    what,
    advice: `The server was told to stop, but may still be working: check before calling again. A longer "timeout" for it can be set in the settings.`,
    stderrTail: session.stderrTail(),
  });
}

function cleaned({ progress, total, message }: McpProgress): McpProgress {
  return {
    progress,
    total,
    message: message === undefined ? undefined : plainText(message).slice(0, 500),
  };
}
