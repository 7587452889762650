import {
  type Answer,
  type ConfirmRequest,
  createIds,
  editText,
  type Outcome,
  outcomeOf,
  type State,
} from '@toolwright/core';
import { answerTo, approvalQuestion } from '../app/approval.js';
import { grantLimit } from '../app/question.js';
import { safe } from '../app/safe-text.js';
import type { Front } from '../ui/front.js';

export interface ConfirmOptions {
  front: Front;
  state: State;
  environment: Readonly<Record<string, string | undefined>>;
  /** From the settings. */
  editor?: string | undefined;
  /** The short form of a path. */
  show?: (path: string) => string;
}

/** Asks about calls until there is an answer; what the user writes in an editor is planned and asked about anew. */
export function confirmAt(
  options: ConfirmOptions,
): (request: ConfirmRequest, signal: AbortSignal) => Promise<Outcome> {
  const { front, show } = options;
  return async (request, signal) => {
    const question = approvalQuestion(request, show);
    for (;;) {
      const reply = await front.ask(question, signal);
      if (!reply) return { kind: 'cancel', reason: 'the user cancelled the question' };
      const answer = answerTo(question, reply);
      if (answer.kind !== 'modify')
        return outcomeOf(answer, { reason: reply.text, limit: grantLimit(reply.text) });
      const written = await editProposal(answer, options, signal);
      if (written !== null) return outcomeOf(answer, { written });
    }
  };
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
  front.dispatch({ type: 'block-added', block: { kind: 'text', text: safe(said), tone: 'warning' } });
  return null;
}
