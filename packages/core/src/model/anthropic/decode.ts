import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import type { FinishReason, ModelEvent, Usage } from '../model.js';
import { type AnswerDraft, type ArrivingCall, createAnswer } from '../wire/answer.js';
import { createDecoder, requireEvent } from '../wire/decoder.js';
import { tagSignature } from '../wire/signatures.js';
import type { Decoder, DecoderContext } from '../wire/wire-format.js';

const reasons: Record<string, FinishReason> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refusal',
};

interface AnthropicProgress {
  answer: AnswerDraft;
  context: DecoderContext;
  calls: Map<unknown, ArrivingCall>;
  usage: JsonObject;
  reason: FinishReason | null;
  over: boolean;
}

/** Anthropic Messages, streamed or whole. Events and blocks of an unknown kind are passed over. */
export function createAnthropicDecoder(context: DecoderContext): Decoder {
  const answer = createAnswer(context);
  const progress: AnthropicProgress = {
    answer,
    context,
    calls: new Map(),
    usage: {},
    reason: null,
    over: false,
  };
  return createDecoder(
    {
      answer,
      read: (event) => readEvent(requireEvent(event, context), progress),
      readWhole: (body) => readWhole(body, progress),
      isOver: () => progress.over,
      closing: () => {
        const usage = countUsage(progress.usage);
        if (usage) answer.usage(usage);
        return [];
      },
      reason: () => progress.reason,
    },
    context,
  );
}

function readEvent(event: JsonObject, progress: AnthropicProgress): ModelEvent[] {
  const { answer, calls, context } = progress;
  switch (event['type']) {
    case 'message_start':
      if (isJsonObject(event['message'])) noteUsage(event['message']['usage'], progress);
      return [];
    case 'content_block_start':
      return isJsonObject(event['content_block'])
        ? openBlock(event['content_block'], event['index'], progress)
        : [];
    case 'content_block_delta':
      return isJsonObject(event['delta']) ? readDelta(event['delta'], calls.get(event['index']), answer) : [];
    case 'message_delta':
      noteUsage(event['usage'], progress);
      if (isJsonObject(event['delta'])) noteReason(event['delta']['stop_reason'], progress);
      return [];
    case 'message_stop':
      progress.over = true;
      return [];
    case 'error':
      throw context.fail(event);
    default:
      if (isJsonObject(event['error'])) throw context.fail(event);
      return [];
  }
}

function readWhole(body: unknown, progress: AnthropicProgress): ModelEvent[] {
  const { context } = progress;
  if (!isJsonObject(body)) throw context.garbled('an answer that is not an object');
  if (body['type'] === 'error' || isJsonObject(body['error'])) throw context.fail(body);
  if (!Array.isArray(body['content'])) throw context.garbled('an answer without content');
  noteUsage(body['usage'], progress);
  noteReason(body['stop_reason'], progress);
  return body['content'].flatMap((block, index) =>
    isJsonObject(block) ? openBlock(block, index, progress) : [],
  );
}

function noteUsage(given: unknown, { usage }: AnthropicProgress): void {
  if (!isJsonObject(given)) return;
  // Later reports carry nulls or zeros for what they do not count again.
  for (const [key, value] of Object.entries(given)) {
    if (typeof value === 'number' && (value > 0 || usage[key] === undefined)) usage[key] = value;
  }
}

function noteReason(given: unknown, progress: AnthropicProgress): void {
  if (typeof given === 'string' && given !== '') progress.reason = reasons[given] ?? 'other';
}

function openBlock(block: JsonObject, index: unknown, { answer, calls }: AnthropicProgress): ModelEvent[] {
  const text = (key: string): string => (typeof block[key] === 'string' ? block[key] : '');
  switch (block['type']) {
    case 'text':
      return answer.text(text('text'));
    case 'thinking': {
      const events = answer.thinking(text('thinking'));
      if (text('signature') !== '') answer.sign(tagSignature('anthropic', text('signature')));
      return events;
    }
    case 'redacted_thinking':
      answer.thinking('', tagSignature('anthropic-redacted', text('data')));
      return [];
    case 'tool_use': {
      const given = block['input'];
      // The stream opens with an empty object and sends the text of the real one after it.
      const args =
        isJsonObject(given) && Object.keys(given).length > 0 ? given : typeof given === 'string' ? given : '';
      calls.set(index, answer.openCall({ id: text('id'), name: text('name'), arguments: args }));
      return [];
    }
    default:
      return [];
  }
}

function readDelta(delta: JsonObject, call: ArrivingCall | undefined, answer: AnswerDraft): ModelEvent[] {
  const text = (key: string): string => (typeof delta[key] === 'string' ? delta[key] : '');
  switch (delta['type']) {
    case 'text_delta':
      return answer.text(text('text'));
    case 'thinking_delta':
      return answer.thinking(text('thinking'));
    case 'signature_delta':
      answer.sign(tagSignature('anthropic', text('signature')));
      return [];
    case 'input_json_delta':
      if (call)
        call.arguments = (typeof call.arguments === 'string' ? call.arguments : '') + text('partial_json');
      return [];
    default:
      return [];
  }
}

/** The API counts tokens read from and written to the cache separately from other input tokens. */
function countUsage(usage: JsonObject): Usage | null {
  const count = (key: string): number => (typeof usage[key] === 'number' ? usage[key] : 0);
  if (Object.keys(usage).length === 0) return null;
  const cached = count('cache_read_input_tokens');
  return {
    inputTokens: count('input_tokens') + cached + count('cache_creation_input_tokens'),
    outputTokens: count('output_tokens'),
    cachedTokens: cached > 0 ? cached : undefined,
  };
}
