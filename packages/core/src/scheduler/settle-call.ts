import { formatBytes, plural } from '@toolwright/machine/base/amounts.js';
import {
  type Display,
  type FileDiff,
  type FunctionResponse,
  type FunctionResponsePart,
  type Part,
  type PartListUnion,
  textOf,
  toParts,
} from '@toolwright/machine/base/content.js';
import { isToolError, messageOf, SettingsError } from '@toolwright/machine/base/errors.js';
import { cutDeep, isJsonObject } from '@toolwright/machine/base/json.js';
import { type Bounded, boundedNotice, headAndTail } from '@toolwright/machine/base/truncate.js';
import type { RawCall } from '../model/model.js';
import type { CallError } from '../session/call-record.js';
import { cancelledResult, errorResult, type ToolResult } from '../tools/tools.js';
import { type ApprovalOptions, approveCall, type Settled } from './approve-call.js';
import type { SaveOutput, SchedulerOptions, SettledCall } from './call.js';
import type { PreparedCall } from './prepare-call.js';
import { boundMessage, executeTool } from './run-tool.js';

/** One call of a batch: prepared, or refused before it could be. */
export interface CallInBatch {
  callId: string;
  raw: RawCall;
  prepared: PreparedCall | null;
  refusal: unknown;
}

/** Decide, confirm, execute, bound, answer. Whatever happens there is exactly one answer. */
export async function settleCall(
  call: CallInBatch,
  options: ApprovalOptions,
  signal: AbortSignal,
): Promise<SettledCall> {
  const { callId, raw } = call;
  const tool = call.prepared?.tool.name ?? raw.name;
  let settled: Settled;
  try {
    settled = await attempt(call, options, signal);
  } catch (error) {
    settled = { result: failureResult(error, tool, options, signal), notes: [] };
  }
  const { llmContent, returnDisplay: display, error, changeSet, structuredContent } = settled.result;
  const response = responseTo(call, settled, options);
  await options.record({ type: 'call-end', callId, tool, response, display, error, changeSet });
  options.emit({ type: 'call-end', callId, tool, display, error });
  const effects = call.prepared?.effects ?? [];
  return {
    callId,
    tool,
    response,
    llmContent,
    display,
    effects,
    error,
    changeSet,
    structuredContent,
    denied: settled.denied,
  };
}

/** The response as journal, events and model get it: nothing is added to it later. */
function responseTo(
  { callId, raw, prepared }: CallInBatch,
  { result, notes }: Settled,
  { repeatedCalls }: ApprovalOptions,
): FunctionResponse {
  const input = {
    callId: raw.id || callId,
    tool: raw.name,
    content: result.llmContent,
    notes,
    error: result.error,
  };
  const response = toFunctionResponse(input);
  const note = repeatedCalls?.noteOn({
    tool: prepared?.tool.name ?? raw.name,
    arguments: raw.arguments,
    response: response.response,
    changed: result.changeSet !== undefined,
  });
  return note === null || note === undefined
    ? response
    : toFunctionResponse({ ...input, notes: [...notes, note] });
}

async function attempt(call: CallInBatch, options: ApprovalOptions, signal: AbortSignal): Promise<Settled> {
  const { callId, raw } = call;
  const args = call.prepared?.params ?? (isJsonObject(raw.arguments) ? cutDeep(raw.arguments) : {});
  const description = call.prepared?.description ?? raw.name;
  options.emit({ type: 'call-start', callId, tool: raw.name, args, description });
  await options.record({
    type: 'call-start',
    callId,
    tool: raw.name,
    args,
    effects: call.prepared?.effects ?? null,
  });
  if (!call.prepared) throw call.refusal;
  if (signal.aborted) return { result: cancelledResult(signal), notes: [] };

  const approved = await approveCall(callId, call.prepared, options, signal);
  if (!('prepared' in approved)) return approved;
  const result = await executeTool({ callId, prepared: approved.prepared }, options, signal);
  return { result: await boundResult(callId, result, options.saveOutput), notes: approved.prepared.notes };
}

function failureResult(
  error: unknown,
  tool: string,
  options: SchedulerOptions,
  signal: AbortSignal,
): ToolResult {
  if (isToolError(error)) return errorResult(error.code, boundMessage(error.message));
  if (signal.aborted) return cancelledResult(signal);
  // Neither the tool's nor the model's fault, such as an unwritable state folder. Its message tells the user what to do.
  if (error instanceof SettingsError) return errorResult('failed', error.message);
  options.log.error(`internal error in ${tool}`, error);
  return errorResult(
    'failed',
    `Internal error in ${tool}: ${boundMessage(messageOf(error))}. This is a fault of the tool, not of the arguments; try another way. Details are in ${options.log.path}.`,
  );
}

/** Limits of what one call adds to the model's context. */
const TEXT_BOUNDS = { maxBytes: 48 * 1024, maxLines: 2_500 };
const DISPLAY_BOUNDS = { maxBytes: 64 * 1024, maxLines: 2_000 };
const MAX_DIFF_BYTES = 256 * 1024;
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
  return {
    ...result,
    llmContent,
    // Mostly the same text as for the model, whose lines are counted already.
    returnDisplay: boundDisplay(result.returnDisplay, result.returnDisplay === text ? bounded : undefined),
    error,
  };
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

function boundDisplay(display: Display, whole?: Bounded): Display {
  if (typeof display === 'string') {
    const bounded = headAndTail(display, DISPLAY_BOUNDS, whole ? { whole } : {});
    return bounded.truncated ? `${bounded.text}\n… cut from ${plural(bounded.totalLines, 'line')}` : display;
  }
  return boundDiff(display);
}

function boundDiff(diff: FileDiff): FileDiff {
  let room = MAX_DIFF_BYTES;
  const files = diff.files.map((file) => {
    room -= file.unified.length;
    return room >= 0
      ? file
      : { ...file, unified: `(${formatBytes(file.unified.length)} of difference not shown)` };
  });
  return { ...diff, files };
}

interface ResponseInput {
  /** The id under which the model made the call. */
  callId: string;
  tool: string;
  content: PartListUnion;
  notes: readonly string[];
  error?: CallError;
}

/** `llmContent` as it goes back to the model: text under `output` or `error`, everything else as parts. */
function toFunctionResponse({ callId, tool, content, notes, error }: ResponseInput): FunctionResponse {
  const parts = toParts(content);
  const text = textOf(parts, '\n');
  const media = parts.flatMap(toResponsePart);
  const response: Record<string, unknown> = error
    ? { error: text || error.message, code: error.code }
    : { output: text };
  if (notes.length > 0) response['notes'] = notes;
  return { id: callId, name: tool, response, ...(media.length > 0 ? { parts: media } : {}) };
}

function toResponsePart({ inlineData, fileData }: Part): FunctionResponsePart[] {
  if (inlineData) return [{ inlineData }];
  return fileData ? [{ fileData }] : [];
}
