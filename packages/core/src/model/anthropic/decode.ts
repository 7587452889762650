import { isJsonObject, type JsonObject } from '../../base/json.js';
import type { FinishReason, ModelEvent, Usage } from '../model.js';
import { type Answer, type ArrivingCall, createAnswer } from '../wire/answer.js';
import { tagSignature } from '../wire/signatures.js';
import type { ServerEvent } from '../wire/sse.js';
import { type Decoder, type DecoderContext, parseEvent } from '../wire/wire-format.js';

const reasons: Record<string, FinishReason> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refusal',
};

/** Anthropic Messages, streamed or whole. Events and blocks of an unknown kind are passed over. */
export function createAnthropicDecoder(context: DecoderContext): Decoder {
  const answer = createAnswer(context);
  const blocks = new Map<unknown, ArrivingCall>();
  let usage: JsonObject = {};
  let reason: FinishReason | null = null;
  let finished = false;

  const finish = (): ModelEvent[] => {
    if (finished) return [];
    finished = true;
    const counted = countUsage(usage);
    if (counted) answer.usage(counted);
    return answer.finish(reason ?? 'stop');
  };

  const noteUsage = (given: unknown): void => {
    if (!isJsonObject(given)) return;
    // Later reports carry nulls or zeros for what they do not count again.
    for (const [key, value] of Object.entries(given))
      if (typeof value === 'number' && value > 0) usage[key] = value;
    if (typeof usage['input_tokens'] !== 'number' && typeof given['input_tokens'] === 'number')
      usage['input_tokens'] = 0;
    if (typeof usage['output_tokens'] !== 'number' && typeof given['output_tokens'] === 'number')
      usage['output_tokens'] = 0;
  };

  const noteReason = (given: unknown): void => {
    if (typeof given === 'string' && given !== '') reason = reasons[given] ?? 'other';
  };

  const readEvent = (event: JsonObject): ModelEvent[] => {
    switch (event['type']) {
      case 'message_start':
        usage = {};
        if (isJsonObject(event['message'])) noteUsage(event['message']['usage']);
        return [];
      case 'content_block_start':
        return isJsonObject(event['content_block'])
          ? openBlock(event['content_block'], event['index'], { answer, blocks })
          : [];
      case 'content_block_delta':
        return isJsonObject(event['delta'])
          ? readDelta(event['delta'], blocks.get(event['index']), answer)
          : [];
      case 'message_delta':
        noteUsage(event['usage']);
        if (isJsonObject(event['delta'])) noteReason(event['delta']['stop_reason']);
        return [];
      case 'message_stop':
        return finish();
      case 'error':
        throw context.fail(event);
      default:
        if (isJsonObject(event['error'])) throw context.fail(event);
        return [];
    }
  };

  return {
    push: ({ data }: ServerEvent) => {
      if (finished || data.trim() === '' || data.trim() === '[DONE]') return [];
      const event = parseEvent(data, context);
      if (!isJsonObject(event)) throw context.garbled('an event that is not an object');
      return readEvent(event);
    },
    whole: (body) => {
      if (!isJsonObject(body)) throw context.garbled('an answer that is not an object');
      if (body['type'] === 'error' || isJsonObject(body['error'])) throw context.fail(body);
      if (!Array.isArray(body['content'])) throw context.garbled('an answer without content');
      const events = body['content'].flatMap((block, index) =>
        isJsonObject(block) ? openBlock(block, index, { answer, blocks }) : [],
      );
      noteUsage(body['usage']);
      noteReason(body['stop_reason']);
      return [...events, ...finish()];
    },
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

interface Opening {
  answer: Answer;
  blocks: Map<unknown, ArrivingCall>;
}

function openBlock(block: JsonObject, index: unknown, { answer, blocks }: Opening): ModelEvent[] {
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
      blocks.set(index, answer.openCall({ id: text('id'), name: text('name'), arguments: args }));
      return [];
    }
    default:
      return [];
  }
}

function readDelta(delta: JsonObject, call: ArrivingCall | undefined, answer: Answer): ModelEvent[] {
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

/** Tokens read from and written to the cache are counted apart from the others. */
function countUsage(usage: JsonObject): Usage | null {
  const count = (key: string): number => (typeof usage[key] === 'number' ? usage[key] : 0);
  if (Object.keys(usage).length === 0) return null;
  const cached = count('cache_read_input_tokens');
  return {
    inputTokens: count('input_tokens') + cached + count('cache_creation_input_tokens'),
    outputTokens: count('output_tokens'),
    ...(cached > 0 ? { cachedTokens: cached } : {}),
  };
}
