import type { FunctionResponse } from '@toolwright/machine/base/content.js';
import { isToolError, messageOf, SettingsError } from '@toolwright/machine/base/errors.js';
import { cutDeep, isJsonObject } from '@toolwright/machine/base/json.js';
import type { RawCall } from '../model/model.js';
import { cancelledResult, errorResult, type ToolResult } from '../tools/tools.js';
import { type ApprovalOptions, approveCall, type Settled } from './approve-call.js';
import type { SettledCall } from './call.js';
import type { SchedulerOptions } from './options.js';
import type { PreparedCall } from './prepare-call.js';
import { boundMessage, boundResult, toFunctionResponse } from './response.js';
import { executeTool } from './run-tool.js';

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
