import type { FinishReason, Usage } from '../../model/model.js';

export interface FakeCall {
  /** Made up where it is missing; `null` sends none at all. */
  id?: string | null;
  name: string;
  /** Text is sent as it is, broken or not. */
  arguments: Record<string, unknown> | string;
}

export interface FakeAnswer {
  /** Several strings come as several deltas. */
  text?: string | string[];
  thinking?: string;
  calls?: FakeCall[];
  finish?: FinishReason;
  usage?: Usage;
  /** Anything but 200 is an error; `body` is sent as it is. */
  status?: number;
  headers?: Record<string, string>;
  body?: string | object;
  /** An error inside the stream, after what was said so far. */
  streamError?: { type: string; message: string };
  /** After what was said: nothing more, or the connection is cut. The end of the answer is not sent. */
  afterwards?: 'silence' | 'cut';
  /** Silence or a cut before a single byte of the answer. */
  instead?: 'silence' | 'cut';
  /** Damages the whole stream on its way. */
  spoil?(stream: string): { sent: string; ending: 'end' | 'cut' };
  /** The stream goes out in pieces of so many bytes. */
  splitBytes?: number;
}

export interface Frames {
  /** Server-sent events up to the end of what was said. */
  said: string[];
  ending: string[];
  whole: object;
}

export const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

export const deltas = ({ text = [] }: FakeAnswer): string[] => [text].flat().filter((delta) => delta !== '');

export function finishOf(answer: FakeAnswer): FinishReason {
  return answer.finish ?? ((answer.calls ?? []).length > 0 ? 'calls' : 'stop');
}

export function argumentText({ arguments: given }: FakeCall): string {
  return typeof given === 'string' ? given : JSON.stringify(given);
}

/** Arguments arrive in two pieces, as from a real model. */
export function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((part) => part !== '');
}
