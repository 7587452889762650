import type { ModelCapabilities, ModelError, ModelEvent, ToolChoice } from '../model.js';
import type { CompiledTool, CompiledTools } from '../schema/compile-tools.js';
import type { Dialect } from '../schema/dialects.js';
import type { AnswerContext } from './answer.js';
import type { TurnEncoder, WireSpan } from './conversation.js';
import type { ServerEvent } from './sse.js';

/** Turns one answer, event by event, into what it says. Pure but for its own state. */
export interface Decoder {
  push(event: ServerEvent): ModelEvent[];
  /** An answer that came in one piece. */
  whole(body: unknown): ModelEvent[];
  /** The stream ended. Throws when the answer is not complete. */
  end(): ModelEvent[];
  readonly finished: boolean;
  /** The reason for the end came: what may follow is counts, and an answer without them is whole. */
  readonly concluded: boolean;
}

export interface DecoderContext extends AnswerContext {
  /** An error the server put into the stream. */
  fail(body: unknown): ModelError;
  /** An error for input that is not of this format. An event that can't be read may come right the next time. */
  garbled(what: string, options?: { isEvent?: boolean }): ModelError;
  /** The stream ended in the middle of the answer. */
  cutShort(): ModelError;
}

export interface FrameInput {
  system: string;
  tools: readonly CompiledTool[];
  toolChoice: ToolChoice | undefined;
  maxOutputTokens: number | undefined;
  streaming: boolean;
}

/** The text around the messages in a request's body. */
export interface RequestFrame {
  head: string;
  tail: string;
  /** A message of the frame stands before those of the conversation. */
  opened: boolean;
}

export interface CacheMarks {
  /** Byte offsets into the encoded messages at which `text` is put in. */
  offsets: number[];
  text: string;
}

export interface Adaptation {
  /** A sentence for the user about what is done differently from now on. */
  notice: string;
  /** Messages are encoded in another way. */
  reencode: boolean;
}

/** A way of talking to a model: how requests are written and answers read. */
export interface WireFormat {
  readonly provider: Dialect;
  readonly capabilities: ModelCapabilities;
  turnEncoder(compiled: () => CompiledTools): TurnEncoder;
  frame(parts: FrameInput): RequestFrame;
  marks?(spans: readonly WireSpan[]): CacheMarks;
  target(streaming: boolean): { url: string; headers: Record<string, string> };
  /** The address at which the server lists its models. */
  listing(): { url: string; headers: Record<string, string> };
  createDecoder(context: DecoderContext): Decoder;
  /** Changes the format after a refusal; null when nothing would help. */
  adapt(error: ModelError): Adaptation | null;
}

/** Parses a piece of JSON from the stream. */
export function parseEvent(data: string, context: DecoderContext): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw context.garbled(`an event that is not JSON: ${data.slice(0, 120)}`, { isEvent: true });
  }
}
