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
import { type Bounded, boundedNotice, clipBytes, headAndTail } from '@toolwright/machine/base/truncate.js';
import type { CallError } from '../session/call-record.js';
import type { ToolResult } from '../tools/tools.js';

/** Limits of what one call adds to the model's context. */
const TEXT_BOUNDS = { maxBytes: 48 * 1024, maxLines: 2_500 };
const DISPLAY_BOUNDS = { maxBytes: 64 * 1024, maxLines: 2_000 };
const MAX_DIFF_BYTES = 256 * 1024;
const MAX_MEDIA_BYTES = 20 * 1024 * 1024;

/** Writes a text where the model can read and search it; returns the path. */
export type SaveOutput = (callId: string, text: string) => Promise<string>;

/** The one place where results are cut to size; the whole text goes to a file of the session. */
export async function boundResult(callId: string, result: ToolResult, save: SaveOutput): Promise<ToolResult> {
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

const MAX_MESSAGE_BYTES = 16 * 1024;

/** A message of bearable length: some tools quote their whole input when they fail. */
export function boundMessage(message: string): string {
  const kept = clipBytes(message, MAX_MESSAGE_BYTES);
  return kept.length < message.length ? `${kept}…` : message;
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

export interface ResponseInput {
  /** The id under which the model made the call. */
  callId: string;
  tool: string;
  content: PartListUnion;
  notes: readonly string[];
  error?: CallError;
}

/** `llmContent` as it goes back to the model: text under `output` or `error`, everything else as parts. */
export function toFunctionResponse({ callId, tool, content, notes, error }: ResponseInput): FunctionResponse {
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
