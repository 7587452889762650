import type { Agent, Part } from '@toolwright/core';
import { answerTextOf, describeCall, plural } from '@toolwright/core/front-end';
import { safe, safeLine } from '../app/safe-text.js';
import type { NewBlock } from '../app/state.js';
import { promptText } from './commands/rewind-points.js';

const LAST_MESSAGES = 12;
const LONGEST_PROMPT = 2_000;
const LONGEST_CALL = 120;

/** The end of a conversation as blocks: prompts, answers, calls in a line each, and what was interrupted. */
export async function replayed(
  { messages, interrupted, registry }: Pick<Agent, 'messages' | 'interrupted' | 'registry'>,
  { isLinear }: { isLinear: boolean },
): Promise<NewBlock[]> {
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
    const answer = answerTextOf(message.parts).trim();
    if (answer !== '') blocks.push({ kind: 'answer', text: safe(answer) });
    const lines: string[] = [];
    for (const { functionCall } of message.parts)
      if (functionCall) lines.push(await callLine(functionCall, registry));
    if (lines.length > 0) blocks.push(note(lines.join('\n')));
  }
  if (interrupted.length > 0)
    blocks.push({
      kind: 'text',
      text: safe(
        `This was still running when the session broke off: ${interrupted.join('; ')}. Check what it did before you repeat it.`,
      ),
      tone: 'warning',
    });
  return blocks;
}

function note(text: string): NewBlock {
  return { kind: 'text', text: safe(text), tone: 'plain' };
}

async function callLine(
  { id = '', name = '', args = {} }: NonNullable<Part['functionCall']>,
  registry: Agent['registry'],
): Promise<string> {
  const said = await describeCall({ id, name, arguments: args }, { registry });
  return `  - ${safeLine(said.length > LONGEST_CALL ? `${said.slice(0, LONGEST_CALL)} …` : said)}`;
}
