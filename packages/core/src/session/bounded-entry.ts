import { formatBytes } from '../base/amounts.js';
import type { Message, Part } from '../base/content.js';
import type { JournalEntry } from './journal.js';

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

/**
 * A model can send megabytes with every call, also with those that are refused, and each would be kept several times.
 * Results and changes are bounded where they are made; arguments are bounded here.
 */
export function boundedEntry(entry: JournalEntry): JournalEntry {
  switch (entry.type) {
    case 'message':
      return { ...entry, message: boundedMessage(entry.message) };
    case 'history':
      return { ...entry, messages: entry.messages.map(boundedMessage) };
    case 'call-start':
      return { ...entry, args: boundedArguments(entry.args, inRecord) };
    default:
      return entry;
  }
}

function boundedMessage(message: Message): Message {
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
