import type { Part } from '@toolwright/machine/base/content.js';
import { createAnthropicDecoder } from '../../model/anthropic/decode.js';
import { classifyFailure, type Endpoint } from '../../model/failure.js';
import { createGeminiDecoder } from '../../model/gemini/decode.js';
import { ModelError, type ModelEvent, type RawCall, type Usage } from '../../model/model.js';
import { createOpenAiDecoder } from '../../model/openai/decode.js';
import { createResponsesDecoder } from '../../model/openai-responses/decode.js';
import { createAnswerReader } from '../../model/wire/read-answer.js';
import type { Decoder, DecoderContext } from '../../model/wire/wire-format.js';
import type { WireName } from './body.js';

/** Everything a stream says, whatever chunks it came in. */
export interface StreamReading {
  text?: string;
  thinking?: string;
  calls?: RawCall[];
  usage?: Usage;
  notices?: string[];
  reason?: string;
  parts?: Part[];
  error?: { kind: string; retryable: boolean; status?: number; retryAfterMs?: number };
}

const decoders: Record<WireName, (context: DecoderContext) => Decoder> = {
  openai: createOpenAiDecoder,
  'openai-responses': createResponsesDecoder,
  anthropic: createAnthropicDecoder,
  gemini: createGeminiDecoder,
};

const endpoint: Endpoint = { label: 'Fixture', host: 'fixture.test', model: 'm', keyVariable: 'KEY' };

function contextForOne(): DecoderContext {
  let count = 0;
  return {
    newCallId: () => `new-${++count}`,
    isIdTaken: (id) => id === 'taken',
    restore: (call) => call,
    fail: (body) => classifyFailure(endpoint, { status: 200, body, tools: [] }),
    garbled: (what, { isEvent = false } = {}) => new ModelError('protocol', what, { retryable: isEvent }),
    cutShort: () => new ModelError('network', 'cut short', { retryable: true }),
  };
}

export interface Replay {
  wire: WireName;
  contentType: string;
  chunks: Uint8Array[];
}

/** Decodes recorded bytes that arrive in these chunks. New ids are new-1, new-2 …; the id `taken` is in use. */
export function replay({ wire, contentType, chunks }: Replay): StreamReading {
  const context = contextForOne();
  const reader = createAnswerReader(contentType, decoders[wire](context), context);
  const reading: StreamReading = {};
  try {
    for (const chunk of chunks) for (const event of reader.push(chunk)) take(reading, event);
    if (reading.reason === undefined) for (const event of reader.end()) take(reading, event);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const { kind, retryable, status, retryAfterMs } = error;
    reading.error = {
      kind,
      retryable,
      status,
      retryAfterMs,
    };
  }
  return reading;
}

function take(reading: StreamReading, event: ModelEvent): void {
  if (reading.reason !== undefined) throw new Error(`${event.type} after the end of the answer`);
  switch (event.type) {
    case 'text-delta':
      reading.text = (reading.text ?? '') + event.text;
      break;
    case 'thinking-delta':
      reading.thinking = (reading.thinking ?? '') + event.text;
      break;
    case 'call':
      reading.calls = [...(reading.calls ?? []), event.call];
      break;
    case 'usage':
      reading.usage = event.usage;
      break;
    case 'notice':
      reading.notices = [...(reading.notices ?? []), event.message];
      break;
    case 'finish':
      reading.reason = event.reason;
      reading.parts = event.parts;
  }
}
