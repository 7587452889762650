import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import type { FinishReason, ModelEvent, Usage } from '../model.js';
import { type AnswerDraft, createAnswer } from '../wire/answer.js';
import { createDecoder, requireEvent } from '../wire/decoder.js';
import type { Decoder, DecoderContext } from '../wire/wire-format.js';
import { type CallReader, createCallReader } from './partial-calls.js';

const filters = [
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'IMAGE_SAFETY',
];
const malformed = [
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'MISSING_THOUGHT_SIGNATURE',
  'MALFORMED_RESPONSE',
];

interface GeminiProgress {
  answer: AnswerDraft;
  calls: CallReader;
  context: DecoderContext;
  reason: FinishReason | null;
}

/**
 * Gemini generateContent, streamed or whole: every chunk is an answer with a few more parts. Nothing marks the
 * end but the reason in the last chunk.
 */
export function createGeminiDecoder(context: DecoderContext): Decoder {
  const answer = createAnswer(context);
  const calls = createCallReader(answer, context);
  const progress: GeminiProgress = { answer, calls, context, reason: null };
  return createDecoder(
    { answer, read: (chunk) => readChunk(chunk, progress), reason: () => progress.reason },
    context,
  );
}

function readChunk(event: unknown, progress: GeminiProgress): ModelEvent[] {
  const { answer, context } = progress;
  if (Array.isArray(event)) return event.flatMap((item) => readChunk(item, progress));
  const chunk = requireEvent(event, context);
  if (isJsonObject(chunk['error'])) throw context.fail(chunk);
  const usage = countUsage(chunk['usageMetadata']);
  if (usage) answer.usage(usage);
  const events: ModelEvent[] = [];
  const blocked = isJsonObject(chunk['promptFeedback']) ? chunk['promptFeedback']['blockReason'] : undefined;
  if (typeof blocked === 'string') {
    progress.reason = 'filter';
    events.push({ type: 'notice', message: `Gemini refused the prompt: ${blocked}.` });
  }
  const candidates = Array.isArray(chunk['candidates']) ? chunk['candidates'] : [];
  const candidate: unknown = candidates.find((item) => isJsonObject(item) && (item['index'] ?? 0) === 0);
  return isJsonObject(candidate) ? [...events, ...readCandidate(candidate, progress)] : events;
}

function readCandidate(candidate: JsonObject, progress: GeminiProgress): ModelEvent[] {
  const content = candidate['content'];
  const parts = isJsonObject(content) && Array.isArray(content['parts']) ? content['parts'] : [];
  const events = parts.flatMap((part) => (isJsonObject(part) ? readPart(part, progress) : []));
  const why = candidate['finishReason'];
  if (typeof why !== 'string' || why === '' || why === 'FINISH_REASON_UNSPECIFIED') return events;
  progress.reason = reasonOf(why);
  if (malformed.includes(why)) {
    const told = typeof candidate['finishMessage'] === 'string' ? `: ${candidate['finishMessage']}` : '';
    events.push({
      type: 'notice',
      message: `Gemini broke off a call that it could not write (${why})${told}.`,
    });
  }
  return events;
}

function reasonOf(why: string): FinishReason {
  if (why === 'STOP') return 'stop';
  if (why === 'MAX_TOKENS') return 'length';
  return filters.includes(why) ? 'filter' : 'other';
}

function readPart(part: JsonObject, { answer, calls }: GeminiProgress): ModelEvent[] {
  const given = part['thoughtSignature'] ?? part['thought_signature'];
  const signature = typeof given === 'string' ? given : undefined;
  const call = part['functionCall'] ?? part['function_call'];
  if (isJsonObject(call)) {
    calls.read(call, signature);
    return [];
  }
  const text = typeof part['text'] === 'string' ? part['text'] : '';
  return part['thought'] === true ? answer.thinking(text, signature) : answer.text(text, signature);
}

function countUsage(usage: unknown): Usage | null {
  if (!isJsonObject(usage)) return null;
  const count = (key: string): number | undefined =>
    typeof usage[key] === 'number' ? usage[key] : undefined;
  const thoughts = count('thoughtsTokenCount');
  const cached = count('cachedContentTokenCount');
  return {
    inputTokens: (count('promptTokenCount') ?? 0) + (count('toolUsePromptTokenCount') ?? 0),
    outputTokens: (count('candidatesTokenCount') ?? 0) + (thoughts ?? 0),
    cachedTokens: cached,
    reasoningTokens: thoughts,
  };
}
