import type { PermissionOption, PermissionOptionKind, ToolCallContent } from '@agentclientprotocol/sdk';
import {
  type Answer,
  type CallQuestion,
  type ConfirmRequest,
  type Outcome,
  wordQuestion,
} from '@toolwright/core';
import { outcomeOf, questionLines } from '@toolwright/core/front-end';
import type { ApartOffer } from '../ask/confirm.js';
import { type Editor, requestPermission } from './ask.js';
import { askForText } from './elicit.js';
import { escaped, fenced } from './updates/markdown.js';
import { drawDiff, textContent } from './updates/tool-call.js';

const WORK_APART = 'apart';

const kinds: Record<Answer['kind'], PermissionOptionKind> = {
  once: 'allow_once',
  all: 'allow_once',
  always: 'allow_always',
  modify: 'allow_once',
  no: 'reject_once',
  never: 'reject_always',
};

export interface ConfirmNeeds {
  editor: Editor;
  show(path: string): string;
  offer?: ApartOffer | undefined;
}

/** Asks about a call with the words that every front end has, and the rule behind each lasting answer. */
export function confirmInEditor({ editor, show, offer }: ConfirmNeeds) {
  return async (request: ConfirmRequest, signal: AbortSignal): Promise<Outcome> => {
    const question = wordQuestion(request, { show, canRefuseForGood: true });
    const { callId: toolCallId } = request;
    const { title } = question;
    const toolCall = { toolCallId, title, status: 'pending' as const, content: contentOf(question, editor) };
    let isOffered = (await offer?.isDue(request, signal)) ?? false;
    for (;;) {
      const answers = question.answers.filter((answer) => canGive(answer, editor));
      const options = optionsFor(answers, isOffered);
      const answered = await requestPermission(editor, { toolCall, options }, signal);
      if (answered.outcome === 'cancelled')
        return { kind: 'cancel', reason: 'the user cancelled the question' };
      if (answered.outcome === 'failed')
        return { kind: 'cancel', reason: `the editor could not ask: ${answered.reason}`, nobodyToAsk: true };
      if (isOffered && answered.optionId === WORK_APART) {
        const problem = await offer!.accept(signal);
        if (problem === null) return goOn({ kind: 'once' }, toolCallId, editor);
        isOffered = false;
        toolCall.content.unshift(textContent(escaped(problem)));
        continue;
      }
      const answer = answers[Number(answered.optionId)];
      if (!answer) return { kind: 'cancel', reason: 'the editor gave an answer that was not offered' };
      if (answer.kind !== 'modify') return goOn(outcomeOf(answer), toolCallId, editor);
      const written = await askForText(editor, { ...answer, toolCallId }, signal);
      if (written !== null) return goOn(outcomeOf(answer, { written }), toolCallId, editor);
    }
  };
}

function goOn(outcome: Outcome, toolCallId: string, { outbox }: Editor): Outcome {
  if (outcome.kind !== 'cancel')
    outbox.send({ sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress' });
  return outcome;
}

/** A larger text is no longer a field to fill in. */
const LONGEST_FIELD = 100_000;

function canGive(answer: Answer, { capabilities }: Editor): boolean {
  if (answer.kind !== 'modify') return true;
  return Boolean(capabilities.elicitation?.form) && answer.untrusted.length <= LONGEST_FIELD;
}

function optionsFor(answers: readonly Answer[], isOffered: boolean): PermissionOption[] {
  const options = answers.map((answer, index) => ({
    optionId: String(index),
    // No reason can be written here.
    name: answer.kind === 'no' ? 'no' : answer.label,
    kind: kinds[answer.kind],
  }));
  if (!isOffered) return options;
  const name = 'yes, and work apart from here on: no more questions about files, one review at the end';
  const apart: PermissionOption = { optionId: WORK_APART, kind: 'allow_once', name };
  const at = options.findIndex(({ kind }) => kind === 'reject_once');
  return [...options.slice(0, at), apart, ...options.slice(at)];
}

function contentOf(
  { warnings, facts, waiting, body }: CallQuestion,
  { absolute }: Editor,
): ToolCallContent[] {
  const next = waiting.length > 0 ? [`Then: ${waiting.join(', ')}`] : [];
  const sentences = (lines: string[]): ToolCallContent[] =>
    lines.length > 0 ? [textContent(lines.map(escaped).join('\n\n'))] : [];
  const parts = body.flatMap((part) =>
    part.kind === 'diff'
      ? drawDiff(part.untrusted, absolute).content
      : [textContent(fenced(questionLines(part).join('\n'), 'block'))],
  );
  return [...sentences(warnings), ...parts, ...sentences([...facts, ...next])];
}
