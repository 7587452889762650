import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import { type FileDiff, type Part, toParts } from '@toolwright/machine/base/content.js';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import type { SettledCall } from '../../scheduler/call.js';
import type { Display, DisplayData } from '../../tools/display/display.js';

/** The end of a call as a result of the protocol. A failed call is a result, too, so that the model reads why. */
export function toCallResult(settled: SettledCall, clean: (text: string) => string): CallToolResult {
  const { llmContent, display, error, changeSet, response, structuredContent } = settled;
  const notes = response.response?.['notes'];
  const noted = Array.isArray(notes) ? notes.map((note): ContentBlock => textBlock(`Note: ${note}`)) : [];
  const blocks = toParts(llmContent).flatMap((part, index) => toBlocks(part, `${settled.callId}/${index}`));
  const said = blocks.length === 0 && error ? [textBlock(error.message)] : blocks;
  const meta = {
    'toolwright/error': error?.code,
    'toolwright/change-set': changeSet,
    'toolwright/display': isDrawn(display) ? cleaned({ ...display }, clean) : undefined,
  };
  return {
    content: [...said, ...noted].map((block) =>
      block.type === 'text' ? { ...block, text: clean(block.text) } : block,
    ),
    isError: error ? true : undefined,
    structuredContent: structuredContent ? cleaned(structuredContent, clean) : undefined,
    _meta: Object.values(meta).some((value) => value !== undefined) ? meta : undefined,
  };
}

/** Diffs are left to the resource of their change set: they are long. */
function isDrawn(display: Display): display is Exclude<DisplayData, FileDiff> {
  return typeof display !== 'string' && display.kind !== 'diff';
}

/** Secrets are taken out of its text; a text that is no JSON afterwards is left to the content blocks alone. */
function cleaned(data: JsonObject, clean: (text: string) => string): JsonObject | undefined {
  try {
    return JSON.parse(clean(JSON.stringify(data))) as JsonObject;
  } catch {
    return undefined;
  }
}

/** The result of a call that was never made, or can't be answered any more. */
export function failedResult(message: string): CallToolResult {
  return { content: [textBlock(message)], isError: true };
}

function textBlock(text: string): ContentBlock {
  return { type: 'text', text };
}

function toBlocks(part: Part, id: string): ContentBlock[] {
  const { text, inlineData, fileData } = part;
  if (text !== undefined) return [textBlock(text)];
  if (inlineData?.data !== undefined) return [mediaBlock(inlineData.data, { ...inlineData, id })];
  if (fileData?.fileUri === undefined) return [];
  const { fileUri, mimeType, displayName } = fileData;
  const name = displayName ?? fileUri.split('/').at(-1) ?? fileUri;
  return [{ type: 'resource_link', uri: fileUri, name, mimeType }];
}

interface Media {
  mimeType?: string;
  displayName?: string;
  id: string;
}

/** The protocol has blocks for pictures and sounds; everything else travels as an embedded resource. */
function mediaBlock(
  data: string,
  { mimeType = 'application/octet-stream', displayName, id }: Media,
): ContentBlock {
  if (mimeType.startsWith('image/')) return { type: 'image', data, mimeType };
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType };
  const uri = `toolwright://result/${id}${displayName ? `/${encodeURIComponent(displayName)}` : ''}`;
  return { type: 'resource', resource: { uri, mimeType, blob: data } };
}
