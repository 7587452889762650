import type { FileDiff } from '@toolwright/core';
import type { Ask, Question } from './question.js';
import { safe, safeDiff, safeLine } from './safe-text.js';

/** A question whose answers are yes and no; its text is not escaped yet. */
export interface YesNo {
  title: string;
  facts?: readonly string[];
  text?: string;
  diff?: FileDiff | undefined;
  yes: string;
  no: string;
}

export function yesNoQuestion({ title, facts = [], text, diff, yes, no }: YesNo): Question {
  return {
    title: safeLine(title),
    facts: facts.map(safeLine),
    text: text === undefined ? undefined : safe(text),
    diff: diff && safeDiff(diff),
    choices: [
      { key: 'y', label: safeLine(yes), agrees: true },
      { key: 'n', label: safeLine(no) },
    ],
    refusal: 'n',
  };
}

/** Everything but a yes is a no. */
export async function askYesOrNo(question: YesNo, ask: Ask, signal: AbortSignal): Promise<boolean> {
  return (await ask(yesNoQuestion(question), signal))?.key === 'y';
}
