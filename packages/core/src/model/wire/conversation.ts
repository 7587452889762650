import type { Message, Part } from '@toolwright/machine/base/content.js';
import {
  closePending,
  type PairingRules,
  type PairingState,
  pairMessage,
  startPairing,
  type WireTurn,
} from './turns.js';

export interface WireMessage {
  /** JSON text. */
  text: string;
  /** Content blocks in it, for providers that count them when they look for a cached prefix. */
  blocks?: number;
  /** May a cache marker stand at its end? */
  markable?: boolean;
}

export interface TurnEncoder extends PairingRules {
  encodeTurn(turn: WireTurn): WireMessage[];
}

export interface WireSpan {
  end: number;
  blocks: number;
  markable: boolean;
}

export interface EncodedConversation {
  /** The wire messages, each with a comma before it. */
  bytes: Uint8Array;
  /** Ends of the wire messages in `bytes`. */
  spans: readonly WireSpan[];
  /** Results for calls left open by the last message; not part of the kept bytes. */
  closing: WireMessage[];
  isIdTaken(id: string): boolean;
}

interface Kept {
  messages: Message[];
  parts: { list: Part[]; length: number }[];
  buffer: Buffer;
  length: number;
  spans: WireSpan[];
  state: PairingState;
}

export interface Conversations {
  encode(messages: readonly Message[]): EncodedConversation;
  /** Drops what is kept, after the encoding itself has changed. */
  forget(): void;
}

const FIRST_CAPACITY = 64 * 1024;

/**
 * Keeps every conversation as the bytes that were sent, so that a turn encodes only what is new. A message is
 * known by its identity: whoever keeps the history passes the same objects again and never changes one.
 */
export function createConversations(encoder: TurnEncoder): Conversations {
  let known = new WeakMap<Message, Kept>();
  return {
    encode: (messages) => {
      const [first] = messages;
      const before = first ? known.get(first) : undefined;
      const kept = before && continues(before, messages) ? before : emptyConversation();
      for (let index = kept.messages.length; index < messages.length; index++) {
        addMessage(kept, messages[index]!, encoder);
      }
      if (first) known.set(first, kept);
      return snapshot(kept, encoder);
    },
    forget: () => {
      known = new WeakMap();
    },
  };
}

function emptyConversation(): Kept {
  return {
    messages: [],
    parts: [],
    buffer: Buffer.allocUnsafe(FIRST_CAPACITY),
    length: 0,
    spans: [],
    state: startPairing(),
  };
}

/** A message may still grow while it is among the last; older ones are only compared by identity. */
const STILL_GROWING = 4;

/** Runs over the whole history at every request: it compares two arrays and opens only the last messages. */
function continues({ messages: known, parts }: Kept, messages: readonly Message[]): boolean {
  if (known.length > messages.length) return false;
  for (let index = 0; index < known.length; index++) if (messages[index] !== known[index]) return false;
  for (let index = Math.max(0, known.length - STILL_GROWING); index < known.length; index++) {
    const { list, length } = parts[index]!;
    if (known[index]!.parts !== list || list.length !== length) return false;
  }
  return true;
}

function addMessage(kept: Kept, message: Message, encoder: TurnEncoder): void {
  const turn = pairMessage(message, kept.state, encoder);
  if (turn.interrupted.length > 0) {
    const results: WireTurn = { role: 'user', items: turn.interrupted, interrupted: [] };
    for (const wire of encoder.encodeTurn(results)) append(kept, wire);
  }
  for (const wire of encoder.encodeTurn(turn)) append(kept, wire);
  kept.messages.push(message);
  kept.parts.push({ list: message.parts, length: message.parts.length });
}

function append(kept: Kept, { text, blocks = 0, markable = false }: WireMessage): void {
  // Three bytes for each UTF-16 unit is the most that UTF-8 takes.
  const needed = kept.length + 1 + text.length * 3;
  if (needed > kept.buffer.length) {
    const larger = Buffer.allocUnsafe(Math.max(needed, kept.buffer.length * 2));
    // A request may still be sending the old buffer; its bytes stay as they are.
    kept.buffer.copy(larger, 0, 0, kept.length);
    kept.buffer = larger;
  }
  kept.length += kept.buffer.write(',', kept.length);
  kept.length += kept.buffer.write(text, kept.length);
  kept.spans.push({ end: kept.length, blocks, markable });
}

function snapshot(kept: Kept, encoder: TurnEncoder): EncodedConversation {
  // Closing the open calls is for this request alone: their results may come with the next message.
  const open = { ...kept.state, pending: new Map(kept.state.pending) };
  const missing = closePending(open);
  const closing =
    missing.length === 0 ? [] : encoder.encodeTurn({ role: 'user', items: missing, interrupted: [] });
  return {
    bytes: kept.buffer.subarray(0, kept.length),
    spans: kept.spans,
    closing,
    isIdTaken: (id) => kept.state.used.has(encoder.wireId(id)),
  };
}
