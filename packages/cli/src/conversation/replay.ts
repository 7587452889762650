import { type Agent, textOf } from '@toolwright/core';
import { plural } from '@toolwright/core/front-end';
import { safe, safeLine } from '../app/safe-text.js';
import type { NewBlock } from '../app/state.js';
import { promptText } from './commands/rewind-points.js';

const LAST_MESSAGES = 12;
const LONGEST_PROMPT = 2_000;

/** The end of a conversation as blocks: prompts, answers, calls in a line each, and what was interrupted. */
export function replayed(
  { messages, interrupted }: Pick<Agent, 'messages' | 'interrupted'>,
  { isLinear }: { isLinear: boolean },
): NewBlock[] {
  const shown = messages.slice(-LAST_MESSAGES);
  const earlier = messages.length - shown.length;
  const blocks: NewBlock[] = earlier > 0 ? [note(`${plural(earlier, 'earlier message')} not shown.`)] : [];
  for (const message of shown) {
    const prompt = promptText(message);
    if (prompt !== null) {
      const text = safe(prompt.slice(0, LONGEST_PROMPT));
      blocks.push(
        isLinear ? { kind: 'text', text: safe(`> ${text}`), tone: 'plain' } : { kind: 'prompt', text },
      );
    }
    if (message.role !== 'model') continue;
    const answer = textOf(message.parts.filter((part) => !part.thought)).trim();
    if (answer !== '') blocks.push({ kind: 'answer', text: safe(answer) });
    const calls = message.parts.flatMap(({ functionCall }) => (functionCall ? [callLine(functionCall)] : []));
    if (calls.length > 0) blocks.push(note(calls.join('\n')));
  }
  if (interrupted.length > 0)
    blocks.push({
      kind: 'text',
      text: safe(`Interrupted at its end: ${interrupted.join('; ')}. Check before you repeat it.`),
      tone: 'warning',
    });
  return blocks;
}

function note(text: string): NewBlock {
  return { kind: 'text', text: safe(text), tone: 'plain' };
}

function callLine({ name = '', args = {} }: { name?: string; args?: Record<string, unknown> }): string {
  const first = Object.values(args).find((value) => typeof value === 'string');
  return `  - ${safeLine(`${name}${typeof first === 'string' ? ` ${first.split('\n')[0]?.slice(0, 100)}` : ''}`)}`;
}
