import { type Message, textOf } from '@toolwright/machine/base/content.js';
import { sha256OfText } from '@toolwright/machine/base/digest/sha256.js';

/** The name of a conversation: its first words, which stay the same while it goes on. */
export function conversationName(messages: readonly Message[]): string {
  const [first] = messages;
  return sha256OfText(first ? textOf(first.parts).slice(0, 4_000) : '').slice(0, 16);
}
