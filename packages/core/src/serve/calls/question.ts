import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import type { FileDiff } from '@toolwright/machine/base/content.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { foreignSentence } from '@toolwright/machine/base/sentences/foreign-text.js';
import { terminalSafe } from '@toolwright/machine/base/terminal-safe.js';
import { type Answer, answersTo, outcomeOf } from '../../question/answers.js';
import { type CallQuestion, type QuestionPart, wordQuestion } from '../../question/question.js';
import { questionLines } from '../../question/question-lines.js';
import type { ConfirmRequest, Outcome } from '../../scheduler/call.js';

export interface ElicitationOptions {
  /** The short form of a path. */
  show?(path: string): string;
  /** Takes secrets out of a text. */
  clean(text: string): string;
}

const MOST_DIFF_LINES = 200;
const LONGEST_DIFF_LINE = 400;
const LONGEST_FILE_LINE = 600;
const LONGEST_REASON = 1_000;
const sessionSpan = 'until this server ends';

/** The question as a form for the user of a client. */
export function toElicitation(
  request: ConfirmRequest,
  { show, clean }: ElicitationOptions,
): ElicitRequestFormParams {
  // Secrets are taken out before anything is cut: half of a secret would not be found.
  const question = wordQuestion(withEachText(request, clean), { show, sessionSpan });
  const answers = formAnswers(question.answers);
  return {
    mode: 'form',
    message: terminalSafe(clean(questionText(question))),
    requestedSchema: {
      type: 'object',
      properties: {
        answer: {
          type: 'string',
          title: 'Answer',
          enum: answers.map(({ value }) => value),
          enumNames: answers.map(({ answer }) => capitalized(clean(answer.label))),
        },
        reason: {
          type: 'string',
          title: 'Reason, for a no',
          description: 'Reaches the model.',
          maxLength: LONGEST_REASON,
        },
      },
      required: ['answer'],
    },
  };
}

/** The outcome that a form's answer stands for; everything but an accepted form with a known answer is a no. */
export function toOutcome({ action, content }: JsonObject, request: ConfirmRequest): Outcome {
  if (action === 'cancel')
    return { kind: 'cancel', reason: 'the user closed the question without an answer' };
  const { answer, reason: given } = isJsonObject(content) ? content : {};
  const reason = typeof given === 'string' ? given.trim().slice(0, LONGEST_REASON) : '';
  const answers = formAnswers(answersTo(request, { sessionSpan }));
  const chosen = answers.find(({ value }) => value === answer);
  return outcomeOf(action === 'accept' && chosen ? chosen.answer : { kind: 'no', label: '' }, { reason });
}

/** The answers that a form can take, by the value that stands for each. Nothing is saved or edited through a client. */
function formAnswers(answers: readonly Answer[]): { value: string; answer: Answer }[] {
  return answers.flatMap((answer): { value: string; answer: Answer }[] => {
    if (answer.kind === 'modify') return [];
    if (answer.kind !== 'always') return [{ value: answer.kind, answer }];
    if (answer.scope === 'saved') return [];
    return [{ value: answer.offer === 1 ? 'session' : `session-${answer.offer}`, answer }];
  });
}

function questionText({ title, warnings, facts, waiting, body }: CallQuestion): string {
  const next = waiting.length > 0 ? [`Then: ${waiting.join(', ')}`] : [];
  const said = [...facts, ...next];
  // Behind a diff or an output a sentence of ours would look like its last line.
  const gap = body.length > 0 && said.length > 0 ? [''] : [];
  return [title, ...warnings, ...body.flatMap(partLines), ...gap, ...said].join('\n');
}

function partLines(part: QuestionPart): string[] {
  if (part.kind === 'diff') return diffLines(part.untrusted);
  const continues = part.kind === 'output' || part.kind === 'addresses';
  return [...(continues ? [] : ['']), ...questionLines(part)];
}

/** Lists every file first, then counts the diff lines that do not fit, so that nobody agrees to a change they were not told of. */
function diffLines({ files }: FileDiff): string[] {
  const names = files.map(({ path, change, added, removed }) =>
    foreignSentence(`${change} ${path} (+${added} -${removed})`, LONGEST_FILE_LINE),
  );
  const lines = files.flatMap(({ unified }, index) => [
    '',
    names[index] as string,
    ...unified.trimEnd().split('\n').map(clipped),
  ]);
  if (lines.length <= MOST_DIFF_LINES) return lines;
  const namesShown = files.length > 1 ? ['', ...names.slice(0, MOST_DIFF_LINES)] : [];
  const namesHidden =
    names.length > MOST_DIFF_LINES ? [`… and ${names.length - MOST_DIFF_LINES} more files`] : [];
  const hidden = `… ${lines.length - MOST_DIFF_LINES} more lines are not shown here. If in doubt, say no.`;
  return [...namesShown, ...namesHidden, ...lines.slice(0, MOST_DIFF_LINES), hidden];
}

function clipped(line: string): string {
  return line.length > LONGEST_DIFF_LINE ? `${line.slice(0, LONGEST_DIFF_LINE)}…` : line;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The value with every text in it changed, however deep. */
export function withEachText<Value>(value: Value, change: (text: string) => string): Value {
  return eachTextChanged(value, change) as Value;
}

function eachTextChanged(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => eachTextChanged(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, eachTextChanged(item, change)]));
}
