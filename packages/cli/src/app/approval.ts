import {
  type Answer,
  type CallQuestion,
  type ConfirmRequest,
  questionLines,
  wordQuestion,
} from '@toolwright/core';
import type { Choice, Question, Reply } from './question.js';
import { safe, safeDiff, safeLine } from './safe-text.js';

/** A question about a call, laid out for the terminal: every answer has a key. */
export interface ApprovalQuestion extends Question {
  choices: readonly (Choice & { answer: Answer })[];
}

export function approvalQuestion(request: ConfirmRequest, show?: (path: string) => string): ApprovalQuestion {
  const { title, warnings, facts, body, answers } = wordQuestion(request, { show });
  const limits = request.offers.length > 0 ? [limitsHint] : [];
  return {
    title: safeLine(title),
    facts: [...warnings, ...facts, ...limits].map(safeLine),
    ...bodyOf(body),
    choices: answers.map(choiceFor),
    refusal: 'n',
  };
}

function bodyOf(body: CallQuestion['body']): Pick<Question, 'diff' | 'text'> {
  const lines = body.flatMap((part) => (part.kind === 'diff' ? [] : questionLines(part)));
  const diff = body.find((part) => part.kind === 'diff');
  return {
    text: lines.length > 0 ? safe(lines.join('\n')) : undefined,
    diff: diff && safeDiff(diff.untrusted),
  };
}

const limitsHint = 'A yes can have a limit, in calls or in time: a1 10, a1 30m, s1 1h, s1 7d.';

function choiceFor(answer: Answer): Choice & { answer: Answer } {
  const label = safeLine(answer.label);
  switch (answer.kind) {
    case 'once':
      return { key: 'y', label, answer };
    case 'all':
      return { key: 't', label: safeLine(`${answer.label}: ${answer.titles.join(', ')}`), answer };
    case 'always':
      return {
        key: `${answer.scope === 'session' ? 'a' : 's'}${answer.offer}`,
        label: answer.scope === 'session' ? label : safe('the same, saved for this workspace'),
        chosen: label,
        takesLimit: true,
        answer,
      };
    case 'modify':
      return { key: 'e', label: safe(`${label} in your editor, then look again`), answer };
    case 'never':
      return { key: 'x', label, answer };
    case 'no':
      return { key: 'n', label: safe(`${label}: n use b.ts instead`), takesText: true, answer };
  }
}

/** The answer that a reply chose; a reply that is none of them refuses. */
export function answerTo({ choices }: ApprovalQuestion, { key }: Reply): Answer {
  return choices.find((choice) => choice.key === key)?.answer ?? { kind: 'no', label: '' };
}
