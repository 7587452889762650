import { formatBytes } from '@toolwright/machine/base/amounts.js';
import { type Part, type PartListUnion, textOf, toParts } from '@toolwright/machine/base/content.js';
import type { AbortReason } from '@toolwright/machine/base/errors.js';
import { isJsonObject } from '@toolwright/machine/base/json.js';
import { boundedNotice, clipBytes, countLines, headAndTail } from '@toolwright/machine/base/truncate.js';
import { unlessAborted, withController, withinDeadline } from '@toolwright/machine/host/deadline.js';
import type { Clock } from '@toolwright/machine/host/host.js';
import type { Caller } from '../tools/caller/caller.js';
import { boundDisplay } from '../tools/display/bound-display.js';
import type { Display } from '../tools/display/display.js';
import { displayProblem } from '../tools/display/display-problem.js';
import {
  type ConfirmationDetails,
  leftBehind,
  type MakeInnerCalls,
  type OnUpdate,
  type Tool,
  type ToolResult,
} from '../tools/tools.js';
import type { Alarms } from './alarms.js';
import type { CallEvent, SaveOutput, SchedulerOptions } from './call.js';
import type { PreparedCall } from './prepare-call.js';

const CALL_LIMIT_MS = 30 * 60_000;
const GRACE_MS = 5_000;
/** Built-in tools need longer: they roll back unfinished writes first. */
const BUILTIN_GRACE_MS = 60_000;

interface RunToolNeeds extends Pick<SchedulerOptions, 'clock' | 'limits' | 'registry' | 'saveOutput'> {
  emit(event: CallEvent): void;
  caller?: Caller;
  alarms: Alarms;
}

interface AskingNeeds extends RunToolNeeds {
  innerCallsOf(callId: string): MakeInnerCalls;
}

interface RunningCall {
  callId: string;
  prepared: PreparedCall;
}

/** The details that the tool wants the user asked about, or false. */
export async function confirmationDetails(
  { callId, prepared }: RunningCall,
  needs: AskingNeeds,
  signal: AbortSignal,
): Promise<ConfirmationDetails | false> {
  const { tool, params } = prepared;
  const details = await withinLimits({ callId, tool, needs, signal }, (inner, onUpdate) =>
    tool.shouldConfirmExecute(params, inner, onUpdate, needs.innerCallsOf(callId)),
  );
  const problem = detailsProblem(details);
  if (problem !== null) throw new TypeError(`${tool.name}: ${problem}`);
  return details;
}

export async function executeTool(
  { callId, prepared }: RunningCall,
  needs: RunToolNeeds,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { tool, params } = prepared;
  const result = await withinLimits({ callId, tool, needs, signal }, (inner, onUpdate) =>
    tool.execute(params, inner, onUpdate, needs.caller),
  );
  const problem = resultProblem(result);
  if (problem) throw new Error(`${tool.name} is broken: ${problem}`);
  const bounded = await boundResult(callId, result, needs.saveOutput);
  // A tool that somebody wrote can't end the run in the name of a hook.
  return isBuiltin(tool, needs) ? bounded : { ...bounded, stopped: undefined };
}

function isBuiltin({ name }: Tool, { registry }: Pick<RunToolNeeds, 'registry'>): boolean {
  return registry.find(name)?.origin.kind === 'builtin';
}

interface Limited {
  callId: string;
  tool: Tool;
  needs: RunToolNeeds;
  signal: AbortSignal;
}

/** Runs a method of a tool that may hang or flood, and passes on what it reports meanwhile. */
async function withinLimits<Result>(
  { callId, tool, needs, signal }: Limited,
  work: (signal: AbortSignal, onUpdate: OnUpdate) => Promise<Result>,
): Promise<Result> {
  const { clock, alarms, emit } = needs;
  const live = createLiveOutput(clock, (delta) => emit({ type: 'call-update', callId, delta }));
  try {
    const limit = { clock, alarms, signal, ...timesOf(tool, needs) };
    return await withTimeLimit(limit, (inner) => work(inner, live.push));
  } finally {
    live.end();
  }
}

function timesOf(tool: Tool, needs: RunToolNeeds) {
  const { timeoutMs = Infinity } = tool;
  const { limits } = needs;
  return {
    limitMs: Math.min(timeoutMs, limits?.callMs ?? CALL_LIMIT_MS),
    graceMs: limits?.graceMs ?? (isBuiltin(tool, needs) ? BUILTIN_GRACE_MS : GRACE_MS),
  };
}

interface TimeLimit {
  clock: Clock;
  alarms: Alarms;
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
  return withController(limit.signal, async (controller) => {
    const timeout: AbortReason = { kind: 'timeout' };
    const isOver = limit.alarms.set(limit.limitMs, () => controller.abort(timeout));
    try {
      const working = startedWork(work, controller.signal);
      return await unlessAborted(working, controller.signal).catch((error: unknown) => {
        if (!controller.signal.aborted) throw error;
        return unlessLeftBehind(working, limit, controller.signal);
      });
    } finally {
      isOver();
    }
  });
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
  throw leftBehind(stopped);
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

/** Members that confirmation details of each kind need, beside effects and the title of an edit. */
const membersOf: Record<string, readonly string[]> = {
  edit: ['diff'],
  exec: ['command', 'directory'],
  mcp: ['server', 'tool', 'arguments'],
  info: ['prompt', 'urls'],
};

/** Null when a tool answered with confirmation details or with false; else what is wrong with its answer. */
export function detailsProblem(value: unknown): string | null {
  if (value === false) return null;
  if (!isJsonObject(value))
    return `it asked with ${value === null ? 'null' : typeof value} in place of details`;
  const { kind, title, effects } = value;
  const members = typeof kind === 'string' && Object.hasOwn(membersOf, kind) ? membersOf[kind] : undefined;
  if (!members)
    return `its confirmation details have the kind ${JSON.stringify(kind)}; there are ${Object.keys(membersOf).join(', ')}`;
  if (typeof title !== 'string' && (kind === 'edit' || title !== undefined))
    return 'its confirmation details have no title';
  if (!Array.isArray(effects) || !effects.every(isJsonObject))
    return 'its confirmation details have no list of effects';
  const missing = members.find((member) => value[member] === undefined);
  return missing === undefined ? null : `its confirmation details have no ${missing}`;
}

/** Null when a tool gave a result that fits the contract; else what is wrong with it. */
export function resultProblem(value: unknown): string | null {
  if (!isJsonObject(value))
    return `it returned ${value === null ? 'null' : typeof value} instead of a result`;
  if (!isContent(value['llmContent'])) return 'its llmContent is neither text nor parts';
  const problem = displayProblem(value['returnDisplay']);
  if (problem !== null) return `its returnDisplay can't be shown: ${problem}`;
  const error = value['error'];
  if (
    error !== undefined &&
    !(isJsonObject(error) && typeof error['code'] === 'string' && typeof error['message'] === 'string')
  ) {
    return 'its error has no code and message';
  }
  return null;
}

function isContent(value: unknown): boolean {
  return Array.isArray(value) ? value.every(isPart) : isPart(value);
}

function isPart(value: unknown): boolean {
  if (typeof value === 'string') return true;
  if (!isJsonObject(value)) return false;
  const { text, inlineData } = value;
  return (
    (text === undefined || typeof text === 'string') && (inlineData === undefined || isJsonObject(inlineData))
  );
}

const MAX_MESSAGE_BYTES = 16 * 1024;

/** A message of bearable length: some tools quote their whole input when they fail. */
export function boundMessage(message: string): string {
  const kept = clipBytes(message, MAX_MESSAGE_BYTES);
  return kept.length < message.length ? `${kept}…` : message;
}

/** Limits of what one call adds to the model's context. */
const TEXT_BOUNDS = { maxBytes: 48 * 1024, maxLines: 2_500 };
const MAX_MEDIA_BYTES = 20 * 1024 * 1024;

/** The one place where results are cut to size; the whole text goes to a file of the session. */
async function boundResult(callId: string, result: ToolResult, save: SaveOutput): Promise<ToolResult> {
  const parts = boundMedia(toParts(result.llmContent));
  const text = textOf(parts, '\n');
  const bounded = headAndTail(text, TEXT_BOUNDS, { keepErrors: true });
  const llmContent = bounded.truncated
    ? [
        { text: `${bounded.text}\n${boundedNotice(bounded, await save(callId, text))}` },
        ...parts.filter((part) => part.text === undefined),
      ]
    : asWritten(result.llmContent, parts);
  const error = result.error && { ...result.error, message: boundMessage(result.error.message) };
  // Mostly the same text as for the model, whose lines are counted already.
  const counted = result.returnDisplay === text ? bounded : undefined;
  const returnDisplay = boundDisplay(result.returnDisplay, counted);
  return { ...result, llmContent, returnDisplay, displayLines: linesBefore(result, returnDisplay), error };
}

/** The lines of a text display that was cut; its own would be a wrong count. */
function linesBefore({ returnDisplay: whole }: ToolResult, shown: Display): number | undefined {
  return typeof whole === 'string' && shown !== whole ? countLines(whole) : undefined;
}

function asWritten(original: PartListUnion, parts: Part[]): PartListUnion {
  return typeof original === 'string' ? original : parts;
}

function boundMedia(parts: Part[]): Part[] {
  let room = MAX_MEDIA_BYTES;
  return parts.map((part) => {
    const size = part.inlineData?.data?.length ?? 0;
    room -= size;
    if (room >= 0 || size === 0) return part;
    room += size;
    return {
      text: `[${part.inlineData?.mimeType ?? 'data'} of ${formatBytes(size)} left out: the result holds too much media.]`,
    };
  });
}
