import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import type { FinishReason, ModelEvent } from '../model.js';
import type { AnswerDraft } from './answer.js';
import { type Decoder, type DecoderContext, parseEvent } from './wire-format.js';

/** The part of a decoder that differs between formats. */
export interface FormatDecoder {
  answer: AnswerDraft;
  /** Reads an event of the stream. */
  read(value: unknown): ModelEvent[];
  /** An answer in one piece; without it, it reads like an event. */
  readWhole?(body: unknown): ModelEvent[];
  /** True if the event that was just read ends the answer. */
  isOver?(): boolean;
  /** Events that are held back until the end. */
  closing?(): ModelEvent[];
  reason(): FinishReason | null;
  /** `[DONE]` ends the answer even where no reason was given. */
  doneEnds?: boolean;
}

/** An event of a stream as the object that it must be. */
export function requireEvent(event: unknown, context: DecoderContext): JsonObject {
  if (isJsonObject(event)) return event;
  throw context.garbled('an event that is not an object', { isEvent: true });
}

/** Ends exactly once, and complains about an answer that has no end. */
export function createDecoder(parts: FormatDecoder, context: DecoderContext): Decoder {
  const { answer } = parts;
  let finished = false;

  const finish = (): ModelEvent[] => {
    finished = true;
    const closing = parts.closing?.() ?? [];
    return [...closing, ...answer.finish(parts.reason() ?? 'stop')];
  };

  const push = (data: string): ModelEvent[] => {
    const text = data.trim();
    if (finished || text === '') return [];
    if (text === '[DONE]') return parts.doneEnds ? finish() : [];
    const events = parts.read(parseEvent(data, context));
    return parts.isOver?.() ? [...events, ...finish()] : events;
  };

  return {
    push: ({ data }) => push(data),
    whole: (body) => {
      const events = (parts.readWhole ?? parts.read)(body);
      if (answer.isEmpty && parts.reason() === null) throw context.garbled('an answer that says nothing');
      return [...events, ...finish()];
    },
    end: () => {
      if (finished) return [];
      if (parts.reason() === null) throw context.cutShort();
      return finish();
    },
    get finished() {
      return finished;
    },
    get concluded() {
      return parts.reason() !== null;
    },
  };
}
