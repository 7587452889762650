import { type AbortReason, describeAbort, ToolError } from '@toolwright/machine/base/errors.js';
import { clipBytes } from '@toolwright/machine/base/truncate.js';
import { unlessAborted, withinDeadline } from '@toolwright/machine/host/deadline.js';
import type { Clock } from '@toolwright/machine/host/host.js';
import type { OnUpdate, Tool } from '../tools/tools.js';
import { emitSafely, type SchedulerOptions } from './options.js';

const CALL_LIMIT_MS = 30 * 60_000;
const GRACE_MS = 5_000;
/** Built-in tools need longer: they roll back unfinished writes first. */
const BUILTIN_GRACE_MS = 60_000;

export interface RunToolNeeds {
  callId: string;
  tool: Tool;
  options: SchedulerOptions;
  signal: AbortSignal;
}

/** Runs a method of a tool within the limit of time, and passes on what it reports meanwhile. */
export async function runTool<Result>(
  { callId, tool, options, signal }: RunToolNeeds,
  work: (signal: AbortSignal, onUpdate: OnUpdate) => Promise<Result>,
): Promise<Result> {
  const { clock } = options;
  const live = createLiveOutput(clock, (delta) =>
    emitSafely(options, { type: 'call-update', callId, delta }),
  );
  try {
    const limit = { clock, signal, ...timesOf(tool, options) };
    return await withTimeLimit(limit, (inner) => work(inner, live.push));
  } finally {
    live.end();
  }
}

function timesOf({ name }: Tool, { limits, registry }: SchedulerOptions) {
  const isBuiltin = registry.find(name)?.origin.kind === 'builtin';
  return {
    limitMs: limits?.callMs ?? CALL_LIMIT_MS,
    graceMs: limits?.graceMs ?? (isBuiltin ? BUILTIN_GRACE_MS : GRACE_MS),
  };
}

interface TimeLimit {
  clock: Clock;
  signal: AbortSignal;
  /** The work is asked to stop after this time … */
  limitMs: number;
  /** … and is given up on when it has not settled this long after it was told to stop. */
  graceMs: number;
}

/** Runs work that may hang: it ends on its own, or is aborted, or is left behind. Never waits for ever. */
async function withTimeLimit<Result>(
  limit: TimeLimit,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { clock, signal } = limit;
  const controller = new AbortController();
  const timers = new AbortController();
  const stop = (): void => controller.abort(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  const timeout: AbortReason = { kind: 'timeout' };
  clock.sleep(limit.limitMs, timers.signal).then(
    () => controller.abort(timeout),
    () => undefined,
  );
  try {
    const working = startedWork(work, controller.signal);
    return await unlessAborted(working, controller.signal).catch((error: unknown) => {
      if (!controller.signal.aborted) throw error;
      return unlessLeftBehind(working, limit, controller.signal);
    });
  } finally {
    // Pass a reason: the default builds an Error with a stack.
    timers.abort('done');
    signal.removeEventListener('abort', stop);
  }
}

/** A tool that throws before it returns a promise is no different from one that rejects. */
async function startedWork<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  return work(signal);
}

async function unlessLeftBehind<Result>(
  work: Promise<Result>,
  { clock, graceMs }: TimeLimit,
  stopped: AbortSignal,
): Promise<Result> {
  const settled = work.then((result) => ({ result }));
  const ended = await withinDeadline(settled, { ms: graceMs, clock });
  if (ended) return ended.result;
  throw new ToolError(
    stopped.reason?.kind === 'timeout' ? 'timeout' : 'cancelled',
    `The call was ${describeAbort(stopped)}. It did not stop when told to and was left behind.`,
  );
}

const INTERVAL_MS = 50;
const MAX_BYTES = 256 * 1024;
const MAX_DELTA_BYTES = 16 * 1024;

interface LiveOutput {
  push(delta: string): void;
  /** Sends what is pending; later pushes are ignored. */
  end(): void;
}

/** Output of a running call on its way to the user: gathered, paced, and capped per call. */
function createLiveOutput(clock: Clock, emit: (delta: string) => void): LiveOutput {
  let pending = '';
  let room = MAX_BYTES;
  let lastSent = Number.NEGATIVE_INFINITY;
  let timer: AbortController | null = null;
  let ended = false;

  const send = (): void => {
    timer?.abort();
    timer = null;
    if (pending === '') return;
    const delta = pending.length > MAX_DELTA_BYTES ? `…\n${pending.slice(-MAX_DELTA_BYTES)}` : pending;
    const kept = clipBytes(delta, room);
    room -= Buffer.byteLength(kept);
    pending = '';
    lastSent = clock.now();
    emit(room > 0 ? kept : `${kept}\n… live output stops here; the result has the rest\n`);
  };

  return {
    push(delta) {
      if (ended || room <= 0 || typeof delta !== 'string' || delta === '') return;
      pending += delta;
      // Drops early what the next delta would drop anyway, to save memory.
      if (pending.length > 4 * MAX_DELTA_BYTES) pending = pending.slice(-2 * MAX_DELTA_BYTES);
      if (timer) return;
      const wait = lastSent + INTERVAL_MS - clock.now();
      if (wait <= 0) return send();
      timer = new AbortController();
      clock.sleep(wait, timer.signal).then(send, () => undefined);
    },
    end() {
      if (ended) return;
      send();
      ended = true;
    },
  };
}
