import type { Blob } from '@toolwright/machine/base/content.js';
import { shortHash } from '@toolwright/machine/base/digest/sha256.js';
import type { CompiledTool, CompiledTools } from '../schema/compile-tools.js';
import { thinkingBudgets } from '../tuning.js';
import type { TurnEncoder, WireMessage } from '../wire/conversation.js';
import { canTake, decodedText, mediaKind, mediaNote } from '../wire/media.js';
import { bareSignature } from '../wire/signatures.js';
import type { Item, ResultItem, WireTurn } from '../wire/turns.js';
import type { FrameInput, RequestFrame } from '../wire/wire-format.js';
import { wireToolName } from '../wire/wire-names.js';
import type { GeminiSettings } from './settings.js';

type WirePart = Record<string, unknown>;

/** Gemini's documented stand-in for the signature of a call that it did not make itself. */
const NO_SIGNATURE = 'skip_thought_signature_validator';

export function geminiTurnEncoder(settings: GeminiSettings, compiled: () => CompiledTools): TurnEncoder {
  return {
    wireId: (id) => (/^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : `call_${shortHash(id)}`),
    encodeTurn: (turn) => {
      const parts =
        turn.role === 'model' ? answerParts(turn, settings, compiled()) : userParts(turn, settings);
      if (parts.length === 0) return [];
      const message: WireMessage = { text: JSON.stringify({ role: turn.role, parts }) };
      return [message];
    },
  };
}

function answerParts(turn: WireTurn, settings: GeminiSettings, compiled: CompiledTools): WirePart[] {
  const signed = turn.items.some(
    (item) => item.kind === 'call' && bareSignature(item.signature) !== undefined,
  );
  let first = true;
  return turn.items.flatMap((item): WirePart[] => {
    const signature = 'signature' in item ? bareSignature(item.signature) : undefined;
    const proof = signature === undefined ? {} : { thoughtSignature: signature };
    if (item.kind === 'text')
      return item.text === '' && signature === undefined ? [] : [{ text: item.text, ...proof }];
    if (item.kind === 'thought')
      return signature === undefined ? [] : [{ text: item.text, thought: true, ...proof }];
    if (item.kind !== 'call') return [];
    const stand = settings.wantsSignatures && !signed && first ? { thoughtSignature: NO_SIGNATURE } : {};
    first = false;
    const functionCall = { ...idOf(item, settings), ...encodeCall(item, compiled) };
    return [{ functionCall, ...stand, ...proof }];
  });
}

function idOf({ id }: { id: string }, settings: GeminiSettings): { id?: string } {
  return settings.sendsIds ? { id } : {};
}

function encodeCall(call: Extract<Item, { kind: 'call' }>, compiled: CompiledTools): object {
  return { name: wireToolName(call.name), args: compiled.wireArguments(call.name, call.args) };
}

function userParts(turn: WireTurn, settings: GeminiSettings): WirePart[] {
  const results = turn.items.filter((item) => item.kind === 'result');
  const beside = settings.mediaInResults ? [] : results.flatMap((result) => mediaBeside(result, settings));
  const others = turn.items.flatMap((item): WirePart[] => {
    if (item.kind === 'text') return item.text === '' ? [] : [{ text: item.text }];
    if (item.kind !== 'media') return [];
    return [
      item.uri === undefined ? mediaPart(item.blob, settings) : { fileData: fileData(item.uri, item.blob) },
    ];
  });
  return [...results.map((result) => resultPart(result, settings)), ...beside, ...others];
}

function fileData(uri: string, blob: Blob): object {
  return { fileUri: uri, mimeType: blob.mimeType };
}

function resultPart(result: ResultItem, settings: GeminiSettings): WirePart {
  const taken = result.media.filter((blob) => canTake(mediaKind(blob.mimeType), settings.capabilities));
  const notes = result.media
    .filter((blob) => !taken.includes(blob))
    .map((blob) => (mediaKind(blob.mimeType) === 'text' ? decodedText(blob) : mediaNote(blob)));
  const response = notes.length === 0 ? result.response : { ...result.response, notes };
  const inside = settings.mediaInResults && taken.length > 0 ? { parts: taken.map(inlinePart) } : {};
  return {
    functionResponse: { ...idOf(result, settings), name: wireToolName(result.name), response, ...inside },
  };
}

function mediaBeside(result: ResultItem, settings: GeminiSettings): WirePart[] {
  const taken = result.media.filter((blob) => canTake(mediaKind(blob.mimeType), settings.capabilities));
  return taken.length === 0 ? [] : [{ text: `From the result of ${result.name}:` }, ...taken.map(inlinePart)];
}

function mediaPart(blob: Blob, settings: GeminiSettings): WirePart {
  const kind = mediaKind(blob.mimeType);
  if (kind === 'text') return { text: decodedText(blob) };
  return canTake(kind, settings.capabilities) ? inlinePart(blob) : { text: mediaNote(blob) };
}

function inlinePart(blob: Blob): WirePart {
  return { inlineData: { mimeType: blob.mimeType, data: blob.data ?? '' } };
}

export function geminiFrame(
  settings: GeminiSettings,
  { system, tools, toolChoice, maxOutputTokens }: FrameInput,
): RequestFrame {
  const functionCallingConfig = toolChoice && { mode: toolChoice === 'required' ? 'ANY' : 'NONE' };
  const thinkingConfig = thinkingOf(settings);
  const { temperature } = settings.tuning;
  const fields = {
    systemInstruction: system === '' ? undefined : { parts: [{ text: system }] },
    // An empty list of declarations is refused.
    tools: tools.length === 0 ? undefined : [{ functionDeclarations: tools.map(geminiTool) }],
    toolConfig: tools.length === 0 ? undefined : functionCallingConfig && { functionCallingConfig },
    generationConfig:
      thinkingConfig || maxOutputTokens || temperature !== undefined
        ? { maxOutputTokens, temperature, thinkingConfig }
        : undefined,
    ...settings.extraBody,
  };
  const head = JSON.stringify(fields).slice(0, -1);
  return { head: `${head}${head === '{' ? '' : ','}"contents":[`, tail: ']}', opened: false };
}

/** Newer models take the effort as a word, earlier ones as a number of tokens. */
function thinkingOf({ model, showThoughts, tuning: { effort } }: GeminiSettings): object | undefined {
  if (!showThoughts && effort === undefined) return undefined;
  const isNewer = Number(/gemini-(\d+)/.exec(model)?.[1] ?? '0') >= 3;
  return {
    includeThoughts: showThoughts || undefined,
    ...(effort && (isNewer ? { thinkingLevel: effort } : { thinkingBudget: thinkingBudgets[effort] })),
  };
}

export function geminiTool({ wireName, description, schema }: CompiledTool): object {
  return { name: wireName, description, parameters: schema ?? undefined };
}
