import type { Blob } from '@toolwright/machine/base/content.js';
import { shortHash } from '@toolwright/machine/base/digest/sha256.js';
import type { CompiledTool, CompiledTools } from '../schema/compile-tools.js';
import type { TurnEncoder, WireMessage } from '../wire/conversation.js';
import { canTake, dataUrl, decodedText, mediaKind, mediaNote } from '../wire/media.js';
import { untagSignature } from '../wire/signatures.js';
import type { Item, ResultItem, WireTurn } from '../wire/turns.js';
import type { FrameInput, RequestFrame } from '../wire/wire-format.js';
import { wireToolName } from '../wire/wire-names.js';
import type { ResponsesSettings } from './settings.js';

type InputItem = Record<string, unknown>;

export function responsesTurnEncoder(
  settings: ResponsesSettings,
  compiled: () => CompiledTools,
): TurnEncoder {
  return {
    wireId: (id) => (/^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : `call_${shortHash(id)}`),
    encodeTurn: (turn) => {
      const items =
        turn.role === 'model'
          ? turn.items.flatMap((item) => answerItem(item, settings, compiled()))
          : userItems(turn, settings);
      return items.map((item): WireMessage => ({ text: JSON.stringify(item) }));
    },
  };
}

function answerItem(item: Item, settings: ResponsesSettings, compiled: CompiledTools): InputItem[] {
  switch (item.kind) {
    case 'text':
      if (item.text === '') return [];
      return [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: item.text }] }];
    case 'thought':
      return settings.thoughts ? thoughtItem(item) : [];
    case 'call':
      return [
        {
          type: 'function_call',
          call_id: item.id,
          name: wireToolName(item.name),
          arguments: JSON.stringify(compiled.wireArguments(item.name, item.args)),
        },
      ];
    default:
      return [];
  }
}

/** Gives back a thought if it has the server's own proof: no other may go back. */
function thoughtItem({ text, signature }: { text: string; signature?: string }): InputItem[] {
  const encrypted = untagSignature('responses', signature);
  if (encrypted === undefined) return [];
  const summary = text === '' ? [] : [{ type: 'summary_text', text }];
  return [{ type: 'reasoning', summary, encrypted_content: encrypted }];
}

function userItems(turn: WireTurn, settings: ResponsesSettings): InputItem[] {
  const results = turn.items.filter((item) => item.kind === 'result');
  const content = turn.items.flatMap((item) => contentOf(item, settings));
  return [
    ...results.map((result) => ({
      type: 'function_call_output',
      call_id: result.id,
      output: outputOf(result, settings),
    })),
    ...(content.length === 0 ? [] : [{ type: 'message', role: 'user', content }]),
  ];
}

/** Text where there is only text: every server takes that. */
function outputOf({ text, media }: ResultItem, settings: ResponsesSettings): string | InputItem[] {
  const said = text === '' && media.length === 0 ? '(no output)' : text;
  if (media.length === 0) return said;
  const parts = media.map((blob) => mediaPart(blob, settings));
  return [...(said === '' ? [] : [textPart(said)]), ...parts];
}

function contentOf(item: Item, settings: ResponsesSettings): InputItem[] {
  if (item.kind === 'text') return item.text === '' ? [] : [textPart(item.text)];
  if (item.kind !== 'media') return [];
  return [item.uri === undefined ? mediaPart(item.blob, settings) : linkPart(item.uri, item.blob, settings)];
}

function linkPart(uri: string, blob: Blob, settings: ResponsesSettings): InputItem {
  const kind = mediaKind(blob.mimeType);
  if (/^https?:/.test(uri) && canTake(kind, settings.capabilities)) {
    if (kind === 'image') return { type: 'input_image', image_url: uri };
    if (kind === 'pdf') return { type: 'input_file', file_url: uri };
  }
  return textPart(`[${blob.mimeType ?? 'file'} at ${uri}]`);
}

function mediaPart(blob: Blob, settings: ResponsesSettings): InputItem {
  const kind = mediaKind(blob.mimeType);
  if (kind === 'text') return textPart(decodedText(blob));
  if (kind === 'image' && canTake(kind, settings.capabilities))
    return { type: 'input_image', image_url: dataUrl(blob) };
  if (kind === 'pdf' && canTake(kind, settings.capabilities))
    return { type: 'input_file', filename: blob.displayName ?? 'document.pdf', file_data: dataUrl(blob) };
  return textPart(mediaNote(blob));
}

function textPart(text: string): InputItem {
  return { type: 'input_text', text };
}

/** Everything that stays the same from turn to turn stands before the conversation. */
export function responsesFrame(
  settings: ResponsesSettings,
  { system, tools, toolChoice, maxOutputTokens, streaming }: FrameInput,
): RequestFrame {
  const fields = {
    model: settings.model,
    stream: streaming || undefined,
    store: false,
    include: settings.thoughts ? ['reasoning.encrypted_content'] : undefined,
    max_output_tokens: maxOutputTokens,
    reasoning: settings.tuning.effort && { effort: settings.tuning.effort },
    temperature: settings.tuning.temperature,
    ...settings.extraBody,
    tools: tools.length === 0 ? undefined : tools.map(responsesTool),
    tool_choice: tools.length === 0 ? undefined : toolChoice,
    instructions: system === '' ? undefined : system,
  };
  return { head: `${JSON.stringify(fields).slice(0, -1)},"input":[`, tail: ']}', opened: false };
}

export function responsesTool({ wireName, description, schema }: CompiledTool): object {
  const parameters = schema ?? { type: 'object', properties: {} };
  // Unless told otherwise the server demands every property of a schema.
  return { type: 'function', name: wireName, description, parameters, strict: false };
}
