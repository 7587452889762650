import { answerTextOf } from '@toolwright/machine/base/content.js';
import type { ModelClient } from '../model/model.js';
import { overText } from '../model/over-text.js';

/** A question over a text, in a request of its own, outside of the conversation. */
export async function askOverText(
  model: ModelClient,
  { prompt, text, purpose }: { prompt: string; text: string; purpose: string },
  signal: AbortSignal,
): Promise<string> {
  const { system, message } = overText(prompt, text);
  const messages = [{ role: 'user' as const, parts: [{ text: message }] }];
  let answer = '';
  for await (const event of model.stream({ system, messages, tools: [], purpose }, signal)) {
    if (event.type === 'finish') answer = answerTextOf(event.parts);
  }
  return answer;
}
