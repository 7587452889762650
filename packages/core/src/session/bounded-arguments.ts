import { formatBytes } from '@toolwright/machine/base/amounts.js';
import type { Message, Part } from '@toolwright/machine/base/content.js';

interface Bound {
  /** One text among the arguments. */
  textBytes: number;
  /** All of them together. */
  wholeBytes: number;
}

/** What a call was told is part of the conversation; longer than this no model would take it back. */
const inConversation: Bound = { textBytes: 256 * 1024, wholeBytes: 1024 * 1024 };
/** Beside the conversation it says what was asked for: the beginning and the end of a text are enough. */
const inRecord: Bound = { textBytes: 8 * 1024, wholeBytes: 64 * 1024 };

/** What a call was asked to do, as the record of the call keeps it. */
export function boundedRecord(args: Record<string, unknown>): Record<string, unknown> {
  return boundedArguments(args, inRecord);
}

export function boundedMessage(message: Message): Message {
  return message.parts.some(({ functionCall }) => functionCall?.args)
    ? { ...message, parts: message.parts.map(boundedPart) }
    : message;
}

function boundedPart(part: Part): Part {
  const { functionCall } = part;
  if (!functionCall?.args) return part;
  return {
    ...part,
    functionCall: { ...functionCall, args: boundedArguments(functionCall.args, inConversation) },
  };
}

function boundedArguments(args: Record<string, unknown>, bound: Bound): Record<string, unknown> {
  const size = sizeOf(args);
  if (size <= bound.textBytes) return args;
  const cut = cutTexts(args, bound.textBytes) as Record<string, unknown>;
  if (sizeOf(cut) <= bound.wholeBytes) return cut;
  return { 'not kept': `${formatBytes(size)} of arguments` };
}

function sizeOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}

function cutTexts(value: unknown, most: number): unknown {
  if (typeof value === 'string') return value.length <= most ? value : cutText(value, most);
  if (Array.isArray(value)) return value.map((item) => cutTexts(item, most));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutTexts(item, most)]));
}

function cutText(text: string, most: number): string {
  const [head, tail] = [Math.floor(most * 0.75), Math.floor(most * 0.125)];
  const left = text.length - head - tail;
  return `${text.slice(0, head)}\n[… ${formatBytes(left)} not kept in the journal …]\n${text.slice(-tail)}`;
}
