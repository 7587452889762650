import { isJsonObject, type JsonObject } from '../../base/json.js';
import type { FinishReason, ModelEvent, Usage } from '../model.js';
import { type Answer, createAnswer } from '../wire/answer.js';
import type { ServerEvent } from '../wire/sse.js';
import { type Decoder, type DecoderContext, parseEvent } from '../wire/wire-format.js';

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

/** Gemini generateContent, streamed or whole: every chunk is an answer with a few more parts. */
export function createGeminiDecoder(context: DecoderContext): Decoder {
  const answer = createAnswer(context);
  let reason: FinishReason | null = null;
  let usage: Usage | null = null;
  let finished = false;

  const finish = (): ModelEvent[] => {
    if (finished) return [];
    finished = true;
    if (usage) answer.usage(usage);
    return answer.finish(reason ?? 'stop');
  };

  const readChunk = (chunk: unknown): ModelEvent[] => {
    if (Array.isArray(chunk)) return chunk.flatMap(readChunk);
    if (!isJsonObject(chunk)) throw context.garbled('an event that is not an object');
    if (isJsonObject(chunk['error'])) throw context.fail(chunk);
    usage = countUsage(chunk['usageMetadata']) ?? usage;
    const events: ModelEvent[] = [];
    const blocked = isJsonObject(chunk['promptFeedback'])
      ? chunk['promptFeedback']['blockReason']
      : undefined;
    if (typeof blocked === 'string') {
      reason = 'filter';
      events.push({ type: 'notice', message: `Gemini refused the prompt: ${blocked}.` });
    }
    const candidates = Array.isArray(chunk['candidates']) ? chunk['candidates'] : [];
    const candidate: unknown = candidates.find((item) => isJsonObject(item) && (item['index'] ?? 0) === 0);
    return isJsonObject(candidate) ? [...events, ...readCandidate(candidate)] : events;
  };

  const readCandidate = (candidate: JsonObject): ModelEvent[] => {
    const content = candidate['content'];
    const parts = isJsonObject(content) && Array.isArray(content['parts']) ? content['parts'] : [];
    const events = parts.flatMap((part) => (isJsonObject(part) ? readPart(part, answer) : []));
    const why = candidate['finishReason'];
    if (typeof why === 'string' && why !== '' && why !== 'FINISH_REASON_UNSPECIFIED') {
      reason = reasonOf(why);
      if (malformed.includes(why)) {
        const told = typeof candidate['finishMessage'] === 'string' ? `: ${candidate['finishMessage']}` : '';
        events.push({
          type: 'notice',
          message: `Gemini broke off a call that it could not write (${why})${told}.`,
        });
      }
    }
    return events;
  };

  return {
    push: ({ data }: ServerEvent) => {
      if (finished || data.trim() === '') return [];
      return data.trim() === '[DONE]' ? finish() : readChunk(parseEvent(data, context));
    },
    whole: (body) => {
      const events = readChunk(body);
      if (answer.isEmpty && reason === null) throw context.garbled('an answer without candidates');
      return [...events, ...finish()];
    },
    // Nothing marks the end but the reason in the last chunk.
    end: () => {
      if (finished) return [];
      if (reason === null) throw context.cutShort();
      return finish();
    },
    get finished() {
      return finished;
    },
  };
}

function reasonOf(why: string): FinishReason {
  if (why === 'STOP') return 'stop';
  if (why === 'MAX_TOKENS') return 'length';
  return filters.includes(why) ? 'filter' : 'other';
}

function readPart(part: JsonObject, answer: Answer): ModelEvent[] {
  const given = part['thoughtSignature'] ?? part['thought_signature'];
  const signature = typeof given === 'string' ? given : undefined;
  const call = part['functionCall'] ?? part['function_call'];
  if (isJsonObject(call)) {
    const args = call['args'];
    answer.openCall({
      id: typeof call['id'] === 'string' ? call['id'] : '',
      name: typeof call['name'] === 'string' ? call['name'] : '',
      arguments: isJsonObject(args) || typeof args === 'string' ? args : {},
      ...(signature === undefined ? {} : { signature }),
    });
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
    ...(cached === undefined ? {} : { cachedTokens: cached }),
    ...(thoughts === undefined ? {} : { reasoningTokens: thoughts }),
  };
}
