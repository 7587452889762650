import {
  type FunctionResponse,
  type FunctionResponsePart,
  type PartListUnion,
  toParts,
} from '@toolwright/machine/base/content.js';
import type { CallError } from './call.js';

export interface ResponseInput {
  callId: string;
  tool: string;
  content: PartListUnion;
  notes: readonly string[];
  error?: CallError;
}

/** `llmContent` as it goes back to the model: text under `output` or `error`, everything else as parts. */
export function toFunctionResponse({ callId, tool, content, notes, error }: ResponseInput): FunctionResponse {
  const parts = toParts(content);
  const text = parts.flatMap((part) => (part.text === undefined ? [] : [part.text])).join('\n');
  const media = parts.flatMap(toResponsePart);
  const response: Record<string, unknown> = error
    ? { error: text || error.message, code: error.code }
    : { output: text };
  if (notes.length > 0) response['notes'] = notes;
  return { id: callId, name: tool, response, ...(media.length > 0 ? { parts: media } : {}) };
}

function toResponsePart({
  inlineData,
  fileData,
}: {
  inlineData?: object;
  fileData?: object;
}): FunctionResponsePart[] {
  if (inlineData) return [{ inlineData }];
  return fileData ? [{ fileData }] : [];
}
