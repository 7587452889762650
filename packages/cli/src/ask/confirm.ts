import type { Answer, ConfirmRequest, Outcome, State } from '@toolwright/core';
import { createIds, editText, outcomeOf } from '@toolwright/core/front-end';
import { type ApprovalQuestion, answerTo, approvalQuestion } from '../app/approval.js';
import { grantLimit } from '../app/question.js';
import { safe } from '../app/safe-text.js';
import type { Front } from '../ui/front.js';

export interface ConfirmOptions {
  front: Front;
  state: State;
  environment: Readonly<Record<string, string | undefined>>;
  /** The editor of the settings. */
  editor?: string | undefined;
  /** The short form of a path. */
  show?: (path: string) => string;
  /** Offers once to work apart. */
  offer?: ApartOffer;
}

export interface ApartOffer {
  /** True at the first question that a session apart would have spared; false ever after. */
  isDue(request: ConfirmRequest, signal: AbortSignal): Promise<boolean>;
  /** A sentence why it can't be, or null. */
  accept(signal: AbortSignal): Promise<string | null>;
}

const WORK_APART = 'w';

/** Asks about calls until there is an answer; what the user writes in an editor is planned and asked about anew. */
export function confirmAt(
  options: ConfirmOptions,
): (request: ConfirmRequest, signal: AbortSignal) => Promise<Outcome> {
  const { front, show, offer } = options;
  return async (request, signal) => {
    const question = approvalQuestion(request, show);
    let isOffered = (await offer?.isDue(request, signal)) ?? false;
    for (;;) {
      const reply = await front.ask(isOffered ? withOffer(question) : question, signal);
      if (!reply) return { kind: 'cancel', reason: 'the user cancelled the question' };
      if (isOffered && reply.key === WORK_APART) {
        const problem = await offer!.accept(signal);
        if (problem === null) return { kind: 'once' };
        isOffered = false;
        tell(front, problem);
        continue;
      }
      const answer = answerTo(question, reply);
      if (answer.kind !== 'modify')
        return outcomeOf(answer, { reason: reply.text, limit: grantLimit(reply.text) });
      const written = await editProposal(answer, options, signal);
      if (written !== null) return outcomeOf(answer, { written });
    }
  };
}

function withOffer(question: ApprovalQuestion): ApprovalQuestion {
  const label = safe('work apart (one review at the end)');
  const choice = { key: WORK_APART, label, agrees: true, chosen: safe('work apart from here on') };
  return { ...question, choices: [...question.choices, choice] };
}

function tell(front: Front, text: string): void {
  front.dispatch({ type: 'block-added', block: { kind: 'text', text: safe(text), tone: 'warning' } });
}

async function editProposal(
  { name, untrusted, isCommand }: Answer & { kind: 'modify' },
  { front, state, environment, editor }: ConfirmOptions,
  signal: AbortSignal,
): Promise<string | null> {
  const chosen = editor || environment['VISUAL'] || environment['EDITOR'] || 'vi';
  const edited = await front.lend(() =>
    editText({ name, text: untrusted, editor: chosen, state, ids: createIds(), signal }),
  );
  // Editors end a file with a newline; a command has none.
  if (edited.kind === 'written') return isCommand ? edited.text.replace(/\n+$/, '') : edited.text;
  const said =
    edited.kind === 'failed'
      ? `${edited.message} Nothing was changed.`
      : 'Nothing was changed in the editor.';
  tell(front, said);
  return null;
}
