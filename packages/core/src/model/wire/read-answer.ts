import { messageOf } from '../../base/errors.js';
import type { HttpResponse } from '../../host/http.js';
import type { ModelEvent } from '../model.js';
import { createEventReader } from './sse.js';
import type { Decoder, DecoderContext } from './wire-format.js';

const MAX_WHOLE_BYTES = 64 * 1024 * 1024;

/** Reads a response to the end of the answer: events, or one piece of JSON where the server does not stream. */
export async function* readAnswer(
  response: HttpResponse,
  decoder: Decoder,
  context: DecoderContext,
): AsyncGenerator<ModelEvent> {
  const reader = createEventReader();
  const plain = /json/.test(response.headers['content-type'] ?? '');
  const chunks: Uint8Array[] = [];
  let size = 0;
  const keep = (kept: Uint8Array[], chunk: Uint8Array, before: number): number => {
    const total = before + chunk.byteLength;
    if (total > MAX_WHOLE_BYTES) throw context.garbled('an answer of more than 64 MB');
    kept.push(chunk);
    return total;
  };
  const body = response.body[Symbol.asyncIterator]();
  try {
    while (!decoder.finished) {
      const step = await body.next();
      if (step.done) break;
      if (plain) size = keep(chunks, step.value, size);
      else for (const event of reader.push(step.value)) yield* decoder.push(event);
    }
    if (decoder.finished) return;
    if (plain) return yield* decoder.whole(parseWhole(Buffer.concat(chunks).toString(), context));
    for (const event of reader.end()) {
      // The last event may have been cut through.
      if (!isComplete(event.data)) throw context.cutShort();
      yield* decoder.push(event);
    }
    if (decoder.finished) return;
    const unread = reader.unread().trim();
    if (/^[[{]/.test(unread)) return yield* decoder.whole(parseWhole(unread, context));
    yield* decoder.end();
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
