import type { Blob } from '@toolwright/machine/base/content.js';
import { shortHash } from '@toolwright/machine/base/digest/sha256.js';
import type { CompiledTool, CompiledTools } from '../schema/compile-tools.js';
import { thinkingBudgets } from '../tuning.js';
import type { TurnEncoder, WireMessage, WireSpan } from '../wire/conversation.js';
import { canTake, decodedText, mediaKind, mediaNote } from '../wire/media.js';
import { untagSignature } from '../wire/signatures.js';
import type { Item, ResultItem, WireTurn } from '../wire/turns.js';
import type { CacheMarks, FrameInput, RequestFrame } from '../wire/wire-format.js';
import { wireToolName } from '../wire/wire-names.js';
import { type AnthropicSettings, outputLimit } from './settings.js';

type ContentBlock = Record<string, unknown>;

export function anthropicTurnEncoder(
  settings: AnthropicSettings,
  compiled: () => CompiledTools,
): TurnEncoder {
  return {
    wireId: (id) => (/^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : `call_${shortHash(id)}`),
    encodeTurn: (turn) => {
      const blocks =
        turn.role === 'model'
          ? turn.items.flatMap((item) => answerBlock(item, compiled()))
          : userBlocks(turn, settings);
      return blocks.length === 0 ? [] : [wireMessage(turn, blocks)];
    },
  };
}

function wireMessage(turn: WireTurn, blocks: ContentBlock[]): WireMessage {
  const user = turn.role === 'user';
  const text = JSON.stringify({ role: user ? 'user' : 'assistant', content: blocks });
  return { text, blocks: blocks.length, markable: user };
}

function answerBlock(item: Item, compiled: CompiledTools): ContentBlock[] {
  switch (item.kind) {
    case 'text':
      // A text of nothing but blanks is refused.
      return item.text.trim() === '' ? [] : [{ type: 'text', text: item.text }];
    case 'thought':
      return thoughtBlock(item);
    case 'call':
      return [
        {
          type: 'tool_use',
          id: item.id,
          name: wireToolName(item.name),
          input: compiled.wireArguments(item.name, item.args),
        },
      ];
    default:
      return [];
  }
}

/** Gives back the thoughts that Anthropic has signed, unchanged: it takes no others. */
function thoughtBlock({ text, signature }: { text: string; signature?: string }): ContentBlock[] {
  const redacted = untagSignature('anthropic-redacted', signature);
  if (redacted !== undefined) return [{ type: 'redacted_thinking', data: redacted }];
  const proof = untagSignature('anthropic', signature);
  return proof === undefined ? [] : [{ type: 'thinking', thinking: text, signature: proof }];
}

/** Results first: they must follow the calls at once. */
function userBlocks(turn: WireTurn, settings: AnthropicSettings): ContentBlock[] {
  const results = turn.items
    .filter((item) => item.kind === 'result')
    .map((item) => resultBlock(item, settings));
  const others = turn.items.flatMap((item): ContentBlock[] => {
    if (item.kind === 'text') return item.text.trim() === '' ? [] : [{ type: 'text', text: item.text }];
    if (item.kind !== 'media') return [];
    return [
      item.uri === undefined ? mediaBlock(item.blob, settings) : linkBlock(item.uri, item.blob, settings),
    ];
  });
  return [...results, ...others];
}

function resultBlock(result: ResultItem, settings: AnthropicSettings): ContentBlock {
  const text = result.text.trim() === '' ? '(no output)' : result.text;
  const content =
    result.media.length === 0
      ? text
      : [{ type: 'text', text }, ...result.media.map((blob) => mediaBlock(blob, settings))];
  return {
    type: 'tool_result',
    tool_use_id: result.id,
    content,
    is_error: result.failed || undefined,
  };
}

const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

function mediaBlock(blob: Blob, settings: AnthropicSettings): ContentBlock {
  const kind = mediaKind(blob.mimeType);
  if (kind === 'text') return { type: 'text', text: decodedText(blob) || '(empty)' };
  const source = { type: 'base64', media_type: blob.mimeType, data: blob.data ?? '' };
  if (kind === 'image' && canTake(kind, settings.capabilities) && imageTypes.includes(blob.mimeType ?? ''))
    return { type: 'image', source };
  if (kind === 'pdf' && canTake(kind, settings.capabilities))
    return {
      type: 'document',
      source,
      title: blob.displayName,
    };
  return { type: 'text', text: mediaNote(blob) };
}

function linkBlock(uri: string, blob: Blob, settings: AnthropicSettings): ContentBlock {
  const kind = mediaKind(blob.mimeType);
  const source = { type: 'url', url: uri };
  if (/^https:/.test(uri) && canTake(kind, settings.capabilities)) {
    if (kind === 'image') return { type: 'image', source };
    if (kind === 'pdf') return { type: 'document', source };
  }
  return { type: 'text', text: `[${blob.mimeType ?? 'file'} at ${uri}]` };
}

const marker = { cache_control: { type: 'ephemeral' } };

/** Tools, then system, then messages: the order in which the provider looks for a cached prefix. */
export function anthropicFrame(settings: AnthropicSettings, parts: FrameInput): RequestFrame {
  const { system, maxOutputTokens, streaming } = parts;
  const mark = settings.cacheMarkers ? marker : {};
  const fields = {
    model: settings.model,
    max_tokens: outputLimit(settings, maxOutputTokens),
    stream: streaming || undefined,
    ...anthropicTuning(settings, parts),
    ...settings.extraBody,
    ...toolFields(parts, mark),
    system: system === '' ? undefined : [{ type: 'text', text: system, ...mark }],
  };
  return { head: `${JSON.stringify(fields).slice(0, -1)},"messages":[`, tail: ']}', opened: false };
}

function toolFields({ tools, toolChoice }: FrameInput, mark: object): object {
  if (tools.length === 0) return {};
  return {
    tools: tools.map((tool, index) => anthropicTool(tool, index === tools.length - 1 ? mark : {})),
    tool_choice: toolChoice && { type: toolChoice === 'required' ? 'any' : 'none' },
  };
}

/** A model that thinks takes no temperature, and none that must call a tool may think. */
function anthropicTuning(
  settings: AnthropicSettings,
  { toolChoice, maxOutputTokens }: FrameInput,
): Record<string, unknown> {
  const { effort, temperature } = settings.tuning;
  const room = outputLimit(settings, maxOutputTokens) - LEAST_ANSWER;
  if (effort === undefined || toolChoice === 'required' || room < LEAST_ANSWER)
    return temperature === undefined ? {} : { temperature: Math.min(1, temperature) };
  return { thinking: { type: 'enabled', budget_tokens: Math.min(thinkingBudgets[effort], room) } };
}

/** Tokens that are left for the answer itself. */
const LEAST_ANSWER = 1_024;

export function anthropicTool({ wireName, description, schema }: CompiledTool, mark: object): object {
  return { name: wireName, description, input_schema: schema ?? { type: 'object', properties: {} }, ...mark };
}

/** A provider looks back this many blocks from a marker for the place of an earlier one. */
const LOOK_BACK = 20;
/** A message ends with the brace of its last block, the bracket of the list, and its own brace. */
const BEFORE_LAST_BRACE = '}]}'.length;

/**
 * Marks the last message of the user, so that the next request finds everything up to here; also the one
 * before it where too many blocks lie between for it to be found.
 */
export function anthropicMarks(settings: AnthropicSettings, spans: readonly WireSpan[]): CacheMarks {
  const offsets: number[] = [];
  if (settings.cacheMarkers) {
    const last = spans.findLastIndex((span) => span.markable);
    const before = last > 0 ? spans.findLastIndex((span, index) => index < last && span.markable) : -1;
    const between = spans.slice(before + 1, last + 1).reduce((sum, span) => sum + span.blocks, 0);
    if (before >= 0 && between >= LOOK_BACK) offsets.push(spans[before]!.end - BEFORE_LAST_BRACE);
    if (last >= 0) offsets.push(spans[last]!.end - BEFORE_LAST_BRACE);
  }
  return { offsets, text: `,${JSON.stringify(marker).slice(1, -1)}` };
}
