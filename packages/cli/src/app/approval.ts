import {
  type Answer,
  type CallQuestion,
  type ConfirmRequest,
  type QuestionPart,
  wordQuestion,
} from '@toolwright/core';
import { outputHeading, questionLines } from '@toolwright/core/front-end';
import { ALL_KEY } from './asking/open-question.js';
import type { AlwaysChoice, Choice, Question, Reply } from './question.js';
import { type SafeText, safe, safeDiff, safeLine } from './safe-text.js';

/** A question about a call, laid out for the terminal. */
export interface ApprovalQuestion extends Question {
  /** The answer behind the key of each reply. */
  answers: ReadonlyMap<string, Answer>;
}

export function approvalQuestion(request: ConfirmRequest, show?: (path: string) => string): ApprovalQuestion {
  const worded = wordQuestion(request, { show });
  const { title, warnings, facts, waiting, answers } = worded;
  const next = waiting.length > 0 ? [`Then: ${waiting.join(', ')}`] : [];
  const always = alwaysOf(answers);
  const unfolded = unfoldedOf(worded, request);
  return {
    title: safeLine(title),
    callId: request.callId,
    warnings: warnings.map(safeLine),
    facts: [...facts, ...next].map(safeLine),
    ...bodyOf(withoutTitle(worded), unfolded),
    unfolded: unfolded && bodyOf(unfolded).text,
    choices: choicesFor(answers, always.length > 0),
    always,
    others: request.queue?.others.map((other) => approvalQuestion(other, show)) ?? [],
    refusal: 'n',
    answers: new Map(answers.map((answer) => [keyOf(answer), answer])),
  };
}

/** A command that stands in the title, whole, is not shown again. */
function withoutTitle({ body }: CallQuestion): CallQuestion['body'] {
  return body.filter((part) => part.kind !== 'command' || !part.inTitle);
}

/** Lines of output that can be looked at inside a question. */
const MOST_UNFOLDED = 2_000;

/** The question with as much as possible of what a command printed; undefined where it shows all of it already. */
function unfoldedOf({ body }: CallQuestion, request: ConfirmRequest): CallQuestion['body'] | undefined {
  return body.some(isCut) ? wordQuestion(request, { outputLines: MOST_UNFOLDED }).body : undefined;
}

/** A part of what a command printed. */
function isCut(part: QuestionPart): part is QuestionPart & { kind: 'output' } {
  return part.kind === 'output' && part.cut !== undefined;
}

function withKey<Part extends QuestionPart>(part: Part, unfolded: CallQuestion['body'] | undefined): Part {
  if (!unfolded || !isCut(part)) return part;
  const amount = unfolded.some(isCut) ? 'more' : 'all';
  return { ...part, heading: outputHeading(part.cut, `Ctrl+O shows ${amount}`) };
}

/** Text before the changes is the command or what is asked; what it printed comes after them. */
function bodyOf(
  body: CallQuestion['body'],
  unfolded?: CallQuestion['body'],
): Pick<Question, 'command' | 'diff' | 'text'> {
  const linesOf = (isWanted: (kind: string) => boolean): SafeText | undefined => {
    const lines = body.flatMap((part) =>
      part.kind !== 'diff' && isWanted(part.kind) ? questionLines(withKey(part, unfolded)) : [],
    );
    return lines.length > 0 ? safe(lines.join('\n')) : undefined;
  };
  const diff = body.find((part) => part.kind === 'diff');
  return {
    command: linesOf((kind) => kind !== 'output'),
    text: linesOf((kind) => kind === 'output'),
    diff: diff && safeDiff(diff.untrusted),
  };
}

function keyOf(answer: Answer): string {
  switch (answer.kind) {
    case 'once':
      return 'y';
    case 'all':
      return ALL_KEY;
    case 'always':
      return `${answer.scope === 'session' ? 'a' : 's'}${answer.offer}`;
    case 'modify':
      return 'e';
    case 'never':
      return 'x';
    case 'no':
      return 'n';
  }
}

function choicesFor(answers: readonly Answer[], hasAlways: boolean): Choice[] {
  const has = (kind: Answer['kind']): boolean => answers.some((answer) => answer.kind === kind);
  const all = answers.find((answer) => answer.kind === 'all');
  return [
    { key: 'y', label: safe('yes'), agrees: true, chosen: null },
    ...(hasAlways ? [{ key: 'a', label: safe('always…'), opensAlways: true }] : []),
    ...(has('modify') ? [{ key: 'e', label: safe('edit'), chosen: null }] : []),
    { key: 'n', label: safe('no'), asksFor: safe('No, because'), chosen: null },
    ...(all ? [{ key: ALL_KEY, label: safeLine(all.label), agrees: true, chosen: null }] : []),
  ];
}

/** Each offer can be taken for the session and saved. */
function alwaysOf(answers: readonly Answer[]): AlwaysChoice[] {
  return answers.flatMap((answer) =>
    answer.kind === 'always' && answer.scope === 'session'
      ? [
          {
            session: keyOf(answer),
            saved: keyOf({ ...answer, scope: 'saved' }),
            label: safeLine(answer.allows),
            rule: safeLine(answer.rule),
          },
        ]
      : [],
  );
}

/** The answer that a reply chose; a reply that is none of them refuses. */
export function answerTo({ answers }: ApprovalQuestion, { key }: Reply): Answer {
  return answers.get(key) ?? { kind: 'no', label: '' };
}
