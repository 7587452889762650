import { data, type FakeAnswer, type Frames } from './answer.js';
import { anthropicFrames } from './anthropic-frames.js';
import { geminiFrames } from './gemini-frames.js';
import { openAiFrames } from './openai-frames.js';
import { responsesFrames } from './responses-frames.js';

export type WireName = 'openai' | 'openai-responses' | 'anthropic' | 'gemini';

const frames: Record<WireName, (answer: FakeAnswer) => Frames> = {
  openai: openAiFrames,
  'openai-responses': responsesFrames,
  anthropic: anthropicFrames,
  gemini: geminiFrames,
};

/** The body of an answer: the stream, or one object where the client did not ask for a stream. */
export function fakeBody(answer: FakeAnswer, wire: WireName, streaming: boolean): string {
  const { said, ending, whole } = frames[wire](answer);
  if (!streaming) return JSON.stringify(whole);
  const error = answer.streamError ? [streamError(answer.streamError, wire)] : [];
  const complete = answer.afterwards === undefined && answer.streamError === undefined;
  return [...said, ...error, ...(complete ? ending : [])].join('');
}

function streamError({ type, message }: { type: string; message: string }, wire: WireName): string {
  if (wire === 'anthropic') return `event: error\n${data({ type: 'error', error: { type, message } })}`;
  if (wire === 'gemini') return data({ error: { code: 503, message, status: type } });
  if (wire === 'openai-responses') return data({ type: 'error', code: type, message, param: null });
  return data({ error: { type, message, code: null } });
}
