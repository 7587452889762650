import { formatBytes, plural } from '@toolwright/machine/base/amounts.js';
import {
  type Display,
  type FileDiff,
  type Part,
  type PartListUnion,
  toParts,
} from '@toolwright/machine/base/content.js';
import { isJsonObject } from '@toolwright/machine/base/json.js';
import { type Bounded, boundedNotice, clipBytes, headAndTail } from '@toolwright/machine/base/truncate.js';
import type { ToolResult } from '../tools/tools.js';

/** What enters the context at most, per call. */
const TEXT_BOUNDS = { maxBytes: 48 * 1024, maxLines: 2_500 };
const DISPLAY_BOUNDS = { maxBytes: 64 * 1024, maxLines: 2_000 };
const MAX_DIFF_BYTES = 256 * 1024;
const MAX_MEDIA_BYTES = 20 * 1024 * 1024;

/** Writes a text where the model can read and search it; returns the path. */
export type SaveOutput = (callId: string, text: string) => Promise<string>;

/** The one place where results are cut to size; the whole text goes to a file of the session. */
export async function boundResult(callId: string, result: ToolResult, save: SaveOutput): Promise<ToolResult> {
  const parts = boundMedia(toParts(result.llmContent));
  const text = parts.flatMap((part) => (part.text === undefined ? [] : [part.text])).join('\n');
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
    // Mostly the very same text, which need not be counted again.
    returnDisplay: boundDisplay(result.returnDisplay, result.returnDisplay === text ? bounded : undefined),
    ...(error ? { error } : {}),
  };
}

const MAX_MESSAGE_BYTES = 16 * 1024;

/** What went wrong, in bearable length: some say it with the whole input. */
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

/** Null when this is a tool result; else what is wrong with it. */
export function resultProblem(value: unknown): string | null {
  if (!isJsonObject(value))
    return `it returned ${value === null ? 'null' : typeof value} instead of a result`;
  if (!isContent(value['llmContent'])) return 'its llmContent is neither text nor parts';
  const display = value['returnDisplay'];
  if (typeof display !== 'string' && !isDiff(display)) return 'its returnDisplay is neither text nor a diff';
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

function isDiff(value: unknown): value is FileDiff {
  return (
    isJsonObject(value) &&
    value['kind'] === 'diff' &&
    Array.isArray(value['files']) &&
    value['files'].every(
      (file) => isJsonObject(file) && typeof file['unified'] === 'string' && typeof file['path'] === 'string',
    )
  );
}
