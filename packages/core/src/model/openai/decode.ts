import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import type { FinishReason, ModelEvent, Usage } from '../model.js';
import { type AnswerDraft, createAnswer } from '../wire/answer.js';
import { createDecoder, requireEvent } from '../wire/decoder.js';
import { tagSignature } from '../wire/signatures.js';
import type { Decoder, DecoderContext } from '../wire/wire-format.js';
import { type CallCollector, createCallCollector } from './collect-calls.js';
import type { OpenAiSettings } from './settings.js';

const reasons: Record<string, FinishReason> = {
  stop: 'stop',
  eos: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_calls: 'calls',
  function_call: 'calls',
  length: 'length',
  max_tokens: 'length',
  content_filter: 'filter',
  refusal: 'refusal',
};

interface OpenAiProgress {
  answer: AnswerDraft;
  context: DecoderContext;
  calls: CallCollector;
  splitter: ThinkSplitter;
  details: JsonObject[];
  reason: FinishReason | null;
  refused: boolean;
  settings: Pick<OpenAiSettings, 'thoughtField'> | undefined;
}

/** Chat Completions, streamed or whole. `settings` learns which field the server uses for thoughts. */
export function createOpenAiDecoder(
  context: DecoderContext,
  settings?: Pick<OpenAiSettings, 'thoughtField'>,
): Decoder {
  const answer = createAnswer(context);
  const progress: OpenAiProgress = {
    answer,
    context,
    calls: createCallCollector(answer),
    splitter: createThinkSplitter(),
    details: [],
    reason: null,
    refused: false,
    settings,
  };
  return createDecoder(
    {
      answer,
      read: (chunk) => readChunk(chunk, progress),
      closing: () => {
        const { thinking, text } = progress.splitter.end();
        return [...answer.thinking(thinking), ...answer.text(text)];
      },
      reason: () => (progress.reason !== null && progress.refused ? 'refusal' : progress.reason),
      doneEnds: true,
    },
    context,
  );
}

function readChunk(event: unknown, progress: OpenAiProgress): ModelEvent[] {
  const { answer, context } = progress;
  const chunk = requireEvent(event, context);
  if (chunk['error'] !== undefined && chunk['error'] !== null) throw context.fail(chunk);
  if (chunk['object'] === 'error') throw context.fail({ error: chunk });
  const choices = Array.isArray(chunk['choices']) ? chunk['choices'] : [];
  const choice: unknown = choices.find((item) => isJsonObject(item) && (item['index'] ?? 0) === 0);
  const usage = usageOf(chunk, choice);
  if (usage) answer.usage(usage);
  if (!isJsonObject(choice)) return [];
  if (choice['error']) throw context.fail({ error: choice['error'] });
  const message = choice['delta'] ?? choice['message'];
  const events = isJsonObject(message) ? readMessage(message, progress) : [];
  const why = choice['finish_reason'];
  if (why === 'error' || why === 'insufficient_system_resource')
    throw context.fail({ error: { message: `finish_reason ${why}`, type: 'server_error' } });
  if (typeof why === 'string' && why !== '') progress.reason = reasons[why] ?? 'other';
  return events;
}

function readMessage(message: JsonObject, progress: OpenAiProgress): ModelEvent[] {
  const { answer, calls, details, splitter, settings } = progress;
  if (typeof message['reasoning'] === 'string' && settings) settings.thoughtField = 'reasoning';
  const events = readThoughts(message, answer);
  if (Array.isArray(message['reasoning_details'])) mergeDetails(details, message['reasoning_details']);
  const { content, refusal } = message;
  // The proof of a thought goes before what was said after it.
  if (details.length > 0 && (calls.isBegun(message) || (typeof content === 'string' && content !== '')))
    signOnce(answer, details);
  if (typeof content === 'string') events.push(...readText(content, answer, splitter));
  else if (Array.isArray(content)) for (const part of content) events.push(...readPart(part, answer));
  if (typeof refusal === 'string' && refusal !== '') {
    progress.refused = true;
    events.push(...answer.text(refusal));
  }
  calls.read(message);
  return events;
}

function readThoughts(message: JsonObject, answer: AnswerDraft): ModelEvent[] {
  const thought = message['reasoning_content'] ?? message['reasoning'];
  return typeof thought === 'string' ? answer.thinking(thought) : [];
}

function readText(content: string, answer: AnswerDraft, splitter: ThinkSplitter): ModelEvent[] {
  const { thinking, text } = splitter.push(content);
  return [...answer.thinking(thinking), ...answer.text(text)];
}

/** Mistral sends lists of parts, thoughts among them. */
function readPart(part: unknown, answer: AnswerDraft): ModelEvent[] {
  if (!isJsonObject(part)) return [];
  if (typeof part['text'] === 'string') return answer.text(part['text']);
  const thinking = part['thinking'];
  if (typeof thinking === 'string') return answer.thinking(thinking);
  if (!Array.isArray(thinking)) return [];
  return thinking.flatMap((item) =>
    isJsonObject(item) && typeof item['text'] === 'string' ? answer.thinking(item['text']) : [],
  );
}

function signOnce(answer: AnswerDraft, details: JsonObject[]): void {
  answer.sign(tagSignature('details', JSON.stringify(details)));
  details.length = 0;
}

/** OpenRouter streams its list of thoughts in fragments: those of one kind and index belong together. */
function mergeDetails(known: JsonObject[], fragments: readonly unknown[]): void {
  for (const fragment of fragments) {
    if (!isJsonObject(fragment)) continue;
    const before = known.find(
      (item) => item['type'] === fragment['type'] && (item['index'] ?? 0) === (fragment['index'] ?? 0),
    );
    if (before) append(before, fragment);
    else known.push({ ...fragment });
  }
}

const growing = ['text', 'summary', 'data'];

function append(target: JsonObject, fragment: JsonObject): void {
  for (const [key, value] of Object.entries(fragment)) {
    if (value === null || value === undefined) continue;
    const before = target[key];
    target[key] =
      growing.includes(key) && typeof before === 'string' && typeof value === 'string'
        ? before + value
        : value;
  }
}

/** Usage stands beside the choices, inside the first one (Moonshot), or under `x_groq`. */
function usageOf(chunk: Record<string, unknown>, choice: unknown): Usage | null {
  const groq = isJsonObject(chunk['x_groq']) ? chunk['x_groq']['usage'] : undefined;
  const usage = chunk['usage'] ?? groq ?? (isJsonObject(choice) ? choice['usage'] : undefined);
  if (!isJsonObject(usage)) return null;
  const input = count(usage['prompt_tokens']);
  const output = count(usage['completion_tokens']);
  if (input === undefined && output === undefined) return null;
  const cached =
    count(inside(usage['prompt_tokens_details'], 'cached_tokens')) ??
    count(usage['prompt_cache_hit_tokens']) ??
    count(usage['cached_tokens']);
  const reasoning = count(inside(usage['completion_tokens_details'], 'reasoning_tokens'));
  return {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    cachedTokens: cached,
    reasoningTokens: reasoning,
  };
}

function inside(value: unknown, key: string): unknown {
  return isJsonObject(value) ? value[key] : undefined;
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined;
}

/** Local servers without a reasoning parser leave thoughts in the text, between these tags at its start. */
const OPEN = '<think>';
const CLOSE = '</think>';

interface Split {
  thinking: string;
  text: string;
}

interface ThinkSplitter {
  push(delta: string): Split;
  end(): Split;
}

/** Separates thoughts from text as they arrive; a tag may be cut by a chunk border. */
function createThinkSplitter(): ThinkSplitter {
  let state: 'start' | 'thinking' | 'after' | 'text' = 'start';
  let held = '';

  const push = (delta: string): Split => {
    held += delta;
    let thinking = '';
    if (state === 'start') {
      const begun = held.trimStart();
      if (begun.length < OPEN.length && OPEN.startsWith(begun)) return { thinking: '', text: '' };
      if (begun.startsWith(OPEN)) {
        state = 'thinking';
        held = begun.slice(OPEN.length);
      } else state = 'text';
    }
    if (state === 'thinking') {
      const at = held.indexOf(CLOSE);
      const cut = at >= 0 ? at : held.length - partialTagLength(held);
      thinking = held.slice(0, cut);
      held = held.slice(at >= 0 ? at + CLOSE.length : cut);
      if (at < 0) return { thinking, text: '' };
      state = 'after';
    }
    if (state === 'after') {
      held = held.trimStart();
      if (held === '') return { thinking, text: '' };
      state = 'text';
    }
    const text = held;
    held = '';
    return { thinking, text };
  };

  return {
    push,
    end: () => {
      const rest = held;
      held = '';
      return state === 'thinking' ? { thinking: rest, text: '' } : { thinking: '', text: rest };
    },
  };
}

/** Length of the end of the text that may be the start of the closing tag. */
function partialTagLength(text: string): number {
  for (let length = Math.min(CLOSE.length - 1, text.length); length > 0; length--) {
    if (CLOSE.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
