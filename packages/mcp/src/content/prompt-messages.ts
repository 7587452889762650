import type { Message } from '@toolwright/machine/base/content.js';
import { isJsonObject } from '@toolwright/machine/base/json.js';
import { toParts } from './to-parts.js';

/** Messages of a prompt or of a sampling request, in the words of our own conversation. */
export function readMessages(entries: readonly unknown[]): { messages: Message[]; warnings: string[] } {
  const messages: Message[] = [];
  const warnings: string[] = [];
  for (const entry of entries) {
    if (!isJsonObject(entry)) continue;
    const content = entry['content'];
    const read = toParts(typeof content === 'string' ? [{ type: 'text', text: content }] : [content].flat());
    messages.push({ role: entry['role'] === 'assistant' ? 'model' : 'user', parts: read.parts });
    warnings.push(...read.warnings);
  }
  return { messages, warnings };
}
