import type { Blob } from '@toolwright/machine/base/content.js';
import { shortHash } from '@toolwright/machine/base/digest/sha256.js';
import type { CompiledTools } from '../schema/compile-tools.js';
import type { TurnEncoder, WireMessage } from '../wire/conversation.js';
import { canTake, dataUrl, decodedText, mediaKind, mediaNote } from '../wire/media.js';
import { untagSignature } from '../wire/signatures.js';
import type { Item, ResultItem, WireTurn } from '../wire/turns.js';
import type { FrameInput, RequestFrame } from '../wire/wire-format.js';
import { wireToolName } from '../wire/wire-names.js';
import type { OpenAiSettings } from './settings.js';

type ContentPart = Record<string, unknown>;

export function openAiTurnEncoder(settings: OpenAiSettings, compiled: () => CompiledTools): TurnEncoder {
  return {
    wireId: (id) => wireId(id, settings.shortIds),
    encodeTurn: (turn) => {
      const messages =
        turn.role === 'model' ? encodeAnswer(turn, settings, compiled()) : encodeUser(turn, settings);
      return messages.map((message): WireMessage => ({ text: JSON.stringify(message) }));
    },
  };
}

function wireId(id: string, short: boolean): string {
  if (short) return /^[A-Za-z0-9]{9}$/.test(id) ? id : shortHash(id).slice(0, 9);
  return /^[A-Za-z0-9_-]{1,40}$/.test(id) ? id : `call_${shortHash(id)}`;
}

function encodeAnswer(turn: WireTurn, settings: OpenAiSettings, compiled: CompiledTools): object[] {
  const text = turn.items.flatMap((item) => (item.kind === 'text' ? [item.text] : [])).join('');
  const calls = turn.items.filter((item) => item.kind === 'call').map((item) => encodeCall(item, compiled));
  if (text === '' && calls.length === 0) return [];
  return [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      ...(calls.length > 0 ? thoughtsOf(turn.items, settings) : {}),
      tool_calls: calls.length > 0 ? calls : undefined,
    },
  ];
}

function encodeCall(call: Extract<Item, { kind: 'call' }>, compiled: CompiledTools): object {
  const extra = untagSignature('extra', call.signature);
  return {
    id: call.id,
    type: 'function',
    function: {
      name: wireToolName(call.name),
      arguments: JSON.stringify(compiled.wireArguments(call.name, call.args)),
    },
    extra_content: extra === undefined ? undefined : (JSON.parse(extra) as unknown),
  };
}

/** Models that think between calls want their thoughts back; others refuse the field. */
function thoughtsOf(items: readonly Item[], settings: OpenAiSettings): Record<string, unknown> {
  if (settings.thoughts === 'never') return {};
  const thoughts = items.filter((item) => item.kind === 'thought');
  const details = thoughts.flatMap(({ signature }) => untagSignature('details', signature) ?? []);
  if (details.length > 0)
    return { reasoning_details: details.flatMap((list) => JSON.parse(list) as unknown[]) };
  // A signed thought belongs to another provider.
  const text = thoughts
    .filter(({ signature }) => signature === undefined)
    .map((thought) => thought.text)
    .join('');
  return text !== '' || settings.thoughts === 'always-with-calls' ? { [settings.thoughtField]: text } : {};
}

function encodeUser(turn: WireTurn, settings: OpenAiSettings): object[] {
  const results = turn.items.filter((item) => item.kind === 'result');
  const shown = results.flatMap((result) => mediaOfResult(result, settings));
  const others = turn.items.flatMap((item) => contentOf(item, settings));
  const content = [...shown, ...others];
  return [
    ...results.map((result) => ({
      role: 'tool',
      tool_call_id: result.id,
      content: resultText(result, settings),
    })),
    ...(content.length === 0 ? [] : [{ role: 'user', content: simplified(content) }]),
  ];
}

function resultText(result: ResultItem, settings: OpenAiSettings): string {
  const lines = [result.text];
  for (const blob of result.media) {
    const kind = mediaKind(blob.mimeType);
    if (kind === 'text') lines.push(decodedText(blob));
    else
      lines.push(
        canTake(kind, settings.capabilities) ? `[${blob.mimeType}: see the next message]` : mediaNote(blob),
      );
  }
  return lines.filter((line) => line !== '').join('\n') || '(no output)';
}

/** A tool message carries text only: media follow in a message of the user. */
function mediaOfResult(result: ResultItem, settings: OpenAiSettings): ContentPart[] {
  const media = result.media.filter((blob) => canTake(mediaKind(blob.mimeType), settings.capabilities));
  if (media.length === 0) return [];
  return [textPart(`From the result of ${result.name}:`), ...media.map((blob) => mediaPart(blob, settings))];
}

function contentOf(item: Item, settings: OpenAiSettings): ContentPart[] {
  if (item.kind === 'text') return item.text === '' ? [] : [textPart(item.text)];
  if (item.kind !== 'media') return [];
  if (item.uri !== undefined) {
    return mediaKind(item.blob.mimeType) === 'image' &&
      settings.capabilities.images &&
      /^https?:/.test(item.uri)
      ? [{ type: 'image_url', image_url: { url: item.uri } }]
      : [textPart(`[${item.blob.mimeType ?? 'file'} at ${item.uri}]`)];
  }
  return [mediaPart(item.blob, settings)];
}

function mediaPart(blob: Blob, settings: OpenAiSettings): ContentPart {
  const kind = mediaKind(blob.mimeType);
  if (kind === 'text') return textPart(decodedText(blob));
  if (!canTake(kind, settings.capabilities)) return textPart(mediaNote(blob));
  if (kind === 'image') return { type: 'image_url', image_url: { url: dataUrl(blob) } };
  if (kind === 'pdf')
    return { type: 'file', file: { filename: blob.displayName ?? 'document.pdf', file_data: dataUrl(blob) } };
  const format = /wav/.test(blob.mimeType ?? '') ? 'wav' : 'mp3';
  return { type: 'input_audio', input_audio: { data: blob.data ?? '', format } };
}

function textPart(text: string): ContentPart {
  return { type: 'text', text };
}

/** Content of text alone becomes a string: every server takes that. */
function simplified(content: ContentPart[]): string | ContentPart[] {
  return content.every((part) => part['type'] === 'text')
    ? content.map((part) => part['text']).join('\n')
    : content;
}

/** Everything that stays the same from turn to turn stands before the messages. */
export function openAiFrame(
  settings: OpenAiSettings,
  { system, tools, toolChoice, maxOutputTokens, streaming }: FrameInput,
): RequestFrame {
  const fields = {
    model: settings.model,
    stream: streaming || undefined,
    stream_options: streaming && settings.asksForUsage ? { include_usage: true } : undefined,
    [settings.outputLimitField]: maxOutputTokens,
    reasoning_effort: settings.tuning.effort,
    temperature: settings.tuning.temperature,
    cache_control: settings.cacheControl ? { type: 'ephemeral' } : undefined,
    ...settings.extraBody,
    tools: tools.length === 0 ? undefined : tools.map(openAiTool),
    tool_choice: tools.length === 0 ? undefined : toolChoice,
  };
  const instruction = system === '' ? '' : JSON.stringify({ role: 'system', content: system });
  return {
    head: `${JSON.stringify(fields).slice(0, -1)},"messages":[${instruction}`,
    tail: ']}',
    opened: instruction !== '',
  };
}

export function openAiTool({
  wireName,
  description,
  schema,
}: {
  wireName: string;
  description: string;
  schema: object | null;
}): object {
  return {
    type: 'function',
    function: { name: wireName, description, parameters: schema ?? { type: 'object', properties: {} } },
  };
}
