import { messageOf } from '@toolwright/machine/base/errors.js';
import type { HttpResponse } from '@toolwright/machine/host/http/http.js';
import { HttpError } from '@toolwright/machine/host/http/http-error.js';
import type { ModelEvent } from '../model.js';
import { createEventReader } from './sse.js';
import type { Decoder, DecoderContext } from './wire-format.js';

const MAX_WHOLE_BYTES = 64 * 1024 * 1024;

/** Event by event, so that what came before an error is still handed on. */
export interface AnswerReader {
  push(chunk: Uint8Array): Iterable<ModelEvent>;
  /** The body ended. Throws when the answer is not complete. */
  end(): Iterable<ModelEvent>;
}

/** Reads the bytes of a body: events, or one piece of JSON where the server does not stream. */
export function createAnswerReader(
  contentType: string,
  decoder: Decoder,
  context: DecoderContext,
): AnswerReader {
  return /json/.test(contentType) ? wholeReader(decoder, context) : eventReader(decoder, context);
}

function wholeReader(decoder: Decoder, context: DecoderContext): AnswerReader {
  const chunks: Uint8Array[] = [];
  let size = 0;
  return {
    push: (chunk) => {
      size += chunk.byteLength;
      if (size > MAX_WHOLE_BYTES) throw context.garbled('an answer of more than 64 MB');
      chunks.push(chunk);
      return [];
    },
    end: () => decoder.whole(parseWhole(Buffer.concat(chunks).toString(), context)),
  };
}

function eventReader(decoder: Decoder, context: DecoderContext): AnswerReader {
  const reader = createEventReader();
  return {
    *push(chunk) {
      for (const event of reader.push(chunk)) yield* decoder.push(event);
    },
    *end() {
      for (const event of reader.end()) {
        // The last event may have been cut through.
        if (isComplete(event.data)) yield* decoder.push(event);
        else if (!decoder.concluded) throw context.cutShort();
      }
      if (decoder.finished) return;
      const unread = reader.unread().trim();
      yield* /^[[{]/.test(unread) ? decoder.whole(parseWhole(unread, context)) : decoder.end();
    },
  };
}

function isComplete(data: string): boolean {
  try {
    JSON.parse(data);
    return true;
  } catch {
    return data.trim() === '[DONE]' || data.trim() === '';
  }
}

function parseWhole(text: string, context: DecoderContext): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw context.garbled(`an answer that is not JSON: ${text.slice(0, 120)}`);
  }
}

export async function* readAnswer(
  response: HttpResponse,
  decoder: Decoder,
  context: DecoderContext,
): AsyncGenerator<ModelEvent> {
  const reader = createAnswerReader(response.headers['content-type'] ?? '', decoder, context);
  const body = response.body[Symbol.asyncIterator]();
  try {
    while (!decoder.finished) {
      const step = await body.next().catch((error: unknown) => {
        if (error instanceof HttpError && decoder.concluded) return null;
        throw error;
      });
      if (!step || step.done) return yield* reader.end();
      yield* reader.push(step.value);
    }
  } finally {
    if (decoder.finished) void drain(body, response);
    else response.close();
  }
}

/** Reads what follows the end of the answer, so that the connection can be used again. */
async function drain(body: AsyncIterator<Uint8Array>, response: HttpResponse): Promise<void> {
  const timer = setTimeout(() => response.close(), 500);
  timer.unref();
  try {
    while (!(await body.next()).done);
  } catch {
    // The answer is complete; how the connection ends does not matter.
  } finally {
    clearTimeout(timer);
  }
}

/** The text of a short body; what comes after the limit is not waited for. */
export async function readBounded(response: HttpResponse, limit: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of response.body) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size > limit) break;
    }
  } catch (error) {
    if (size === 0) return messageOf(error);
  } finally {
    response.close();
  }
  return Buffer.concat(chunks).toString();
}
