import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import type { FinishReason, ModelEvent, Usage } from '../model.js';
import { type AnswerDraft, type ArrivingCall, createAnswer } from '../wire/answer.js';
import { createDecoder, requireEvent } from '../wire/decoder.js';
import { tagSignature } from '../wire/signatures.js';
import type { Decoder, DecoderContext } from '../wire/wire-format.js';

/** An item of the answer, as far as it has come. */
interface OpenItem {
  /** Characters of it that were handed on; the whole item, which comes last, repeats them. */
  told: number;
  /** The last part of a summary that was begun. */
  part: number;
  call?: ArrivingCall;
}

interface ResponsesProgress {
  answer: AnswerDraft;
  context: DecoderContext;
  items: Map<number, OpenItem>;
  refused: boolean;
  reason: FinishReason | null;
  over: boolean;
}

/** OpenAI Responses, streamed or whole. Events and items of an unknown kind are passed over. */
export function createResponsesDecoder(context: DecoderContext): Decoder {
  const answer = createAnswer(context);
  const progress: ResponsesProgress = {
    answer,
    context,
    items: new Map(),
    refused: false,
    reason: null,
    over: false,
  };
  return createDecoder(
    {
      answer,
      read: (event) => readEvent(requireEvent(event, context), progress),
      readWhole: (body) => readWhole(body, progress),
      isOver: () => progress.over,
      reason: () => progress.reason,
    },
    context,
  );
}

function readEvent(event: JsonObject, progress: ResponsesProgress): ModelEvent[] {
  const item = itemAt(event['output_index'], progress);
  switch (event['type']) {
    case 'response.output_item.added':
      return openItem(event['item'], item, progress);
    case 'response.output_text.delta':
      return countedText(item, progress.answer.text(textOf(event, 'delta')));
    case 'response.refusal.delta':
      progress.refused = true;
      return countedText(item, progress.answer.text(textOf(event, 'delta')));
    case 'response.reasoning_summary_text.delta':
      return countedText(item, progress.answer.thinking(summaryBreak(event, item) + textOf(event, 'delta')));
    case 'response.reasoning_text.delta':
      return countedText(item, progress.answer.thinking(textOf(event, 'delta')));
    case 'response.function_call_arguments.delta':
      if (item.call) item.call.arguments = `${item.call.arguments as string}${textOf(event, 'delta')}`;
      return [];
    case 'response.output_item.done':
      return closeItem(event['item'], item, progress);
    case 'response.completed':
    case 'response.incomplete':
    case 'response.failed':
      return end(event['response'], progress);
    case 'error':
      throw progress.context.fail(isJsonObject(event['error']) ? event : { error: event });
    default:
      if (isJsonObject(event['error'])) throw progress.context.fail(event);
      return [];
  }
}

/** Parts of a summary are paragraphs. */
function summaryBreak(event: JsonObject, item: OpenItem): string {
  const part = typeof event['summary_index'] === 'number' ? event['summary_index'] : 0;
  const isNext = part > item.part;
  item.part = part;
  return isNext ? '\n\n' : '';
}

function itemAt(index: unknown, { items }: ResponsesProgress): OpenItem {
  const at = typeof index === 'number' ? index : -1;
  const known = items.get(at) ?? { told: 0, part: 0 };
  items.set(at, known);
  return known;
}

function countedText(item: OpenItem, events: ModelEvent[]): ModelEvent[] {
  for (const event of events) if ('text' in event) item.told += event.text.length;
  return events;
}

function openItem(given: unknown, item: OpenItem, { answer }: ResponsesProgress): ModelEvent[] {
  if (!isJsonObject(given) || given['type'] !== 'function_call') return [];
  item.call = answer.openCall({
    id: textOf(given, 'call_id'),
    name: textOf(given, 'name'),
    arguments: textOf(given, 'arguments'),
    isUnfinished: true,
  });
  return [];
}

/** The whole item: it has the last word about a call, and all that was not streamed. */
function closeItem(given: unknown, item: OpenItem, progress: ResponsesProgress): ModelEvent[] {
  if (!isJsonObject(given)) return [];
  switch (given['type']) {
    case 'message':
      return item.told > 0 ? [] : readMessage(given['content'], progress);
    case 'reasoning':
      return closeThought(given, item, progress.answer);
    case 'function_call':
      if (!item.call) openItem(given, item, progress);
      if (item.call) {
        item.call.arguments = textOf(given, 'arguments') || item.call.arguments;
        item.call.isUnfinished = given['status'] === 'incomplete';
      }
      return [];
    default:
      return [];
  }
}

function readMessage(content: unknown, progress: ResponsesProgress): ModelEvent[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown): ModelEvent[] => {
    if (!isJsonObject(part)) return [];
    if (part['type'] === 'refusal') progress.refused = true;
    return progress.answer.text(textOf(part, part['type'] === 'refusal' ? 'refusal' : 'text'));
  });
}

function closeThought(given: JsonObject, { told: streamed }: OpenItem, answer: AnswerDraft): ModelEvent[] {
  const parts = [given['summary'], given['content']].flatMap((list) => (Array.isArray(list) ? list : []));
  const text = parts.map((part: unknown) => (isJsonObject(part) ? textOf(part, 'text') : '')).join('\n\n');
  const events = streamed > 0 ? [] : answer.thinking(text);
  const encrypted = textOf(given, 'encrypted_content');
  if (encrypted !== '') answer.sign(tagSignature('responses', encrypted));
  return events;
}

function end(response: unknown, progress: ResponsesProgress): ModelEvent[] {
  if (!isJsonObject(response))
    throw progress.context.garbled('an end without the response', { isEvent: true });
  if (isJsonObject(response['error'])) throw progress.context.fail(response);
  progress.reason = reasonOf(response, progress.refused);
  const usage = isJsonObject(response['usage']) ? countUsage(response['usage']) : null;
  if (usage) progress.answer.usage(usage);
  progress.over = true;
  return [];
}

function readWhole(body: unknown, progress: ResponsesProgress): ModelEvent[] {
  const { context } = progress;
  if (!isJsonObject(body)) throw context.garbled('an answer that is not an object');
  if (isJsonObject(body['error'])) throw context.fail(body);
  if (!Array.isArray(body['output'])) throw context.garbled('an answer without output');
  const events = body['output'].flatMap((item, index) => closeItem(item, itemAt(index, progress), progress));
  return [...events, ...end(body, progress)];
}

function reasonOf(response: JsonObject, refused: boolean): FinishReason {
  const { incomplete_details: details } = response;
  const why = isJsonObject(details) ? details['reason'] : undefined;
  if (why === 'max_output_tokens') return 'length';
  if (why === 'content_filter') return 'filter';
  if (refused) return 'refusal';
  return response['status'] === 'completed' || response['status'] === undefined ? 'stop' : 'other';
}

function countUsage(usage: JsonObject): Usage {
  const count = (from: unknown, key: string): number | undefined =>
    isJsonObject(from) && typeof from[key] === 'number' ? from[key] : undefined;
  return {
    inputTokens: count(usage, 'input_tokens') ?? 0,
    outputTokens: count(usage, 'output_tokens') ?? 0,
    cachedTokens: count(usage['input_tokens_details'], 'cached_tokens'),
    reasoningTokens: count(usage['output_tokens_details'], 'reasoning_tokens'),
  };
}

function textOf(from: JsonObject, key: string): string {
  return typeof from[key] === 'string' ? from[key] : '';
}
