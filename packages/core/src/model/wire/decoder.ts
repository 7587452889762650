import type { FinishReason, ModelEvent } from '../model.js';
import type { Answer } from './answer.js';
import { type Decoder, type DecoderContext, parseEvent } from './wire-format.js';

/** What one format adds to the frame that all share. */
export interface DecoderParts {
  answer: Answer;
  /** One event of the stream. */
  read(value: unknown): ModelEvent[];
  /** An answer in one piece; without it, it reads like an event. */
  readWhole?(body: unknown): ModelEvent[];
  /** Did the event just read end the answer? */
  isOver?(): boolean;
  /** What is still to be said before the end. */
  closing?(): ModelEvent[];
  reason(): FinishReason | null;
  /** `[DONE]` ends the answer even where no reason was given. */
  doneEnds?: boolean;
}

/** Ends exactly once, and complains about an answer that has no end. */
export function createDecoder(parts: DecoderParts, context: DecoderContext): Decoder {
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
