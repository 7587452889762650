import { type ConfirmRequest, createIds, editText, type Outcome, type State } from '@toolwright/core';
import { approvalQuestion, modifiableText, outcomeOf } from '../app/approval.js';
import { safe } from '../app/safe-text.js';
import type { Front } from '../ui/front.js';

export interface ConfirmOptions {
  front: Front;
  state: State;
  environment: Readonly<Record<string, string | undefined>>;
  /** From the settings. */
  editor?: string | undefined;
  /** A path the way the person knows it. */
  show?: (path: string) => string;
}

/** Asks about calls until there is an answer; what the person writes in an editor is planned and asked about anew. */
export function confirmAt(
  options: ConfirmOptions,
): (request: ConfirmRequest, signal: AbortSignal) => Promise<Outcome> {
  const { front, show } = options;
  return async (request, signal) => {
    const question = approvalQuestion(request, show);
    for (;;) {
      const reply = await front.ask(question, signal);
      if (!reply) return { kind: 'cancel', reason: 'the user cancelled the question' };
      const outcome = outcomeOf(reply, request);
      if (outcome !== 'edit') return outcome;
      const written = await editProposal(request, options, signal);
      if (written !== null) return { kind: 'modify', written };
    }
  };
}

async function editProposal(
  request: ConfirmRequest,
  { front, state, environment, editor }: ConfirmOptions,
  signal: AbortSignal,
): Promise<string | null> {
  const proposal = modifiableText(request);
  if (!proposal) return null;
  const chosen = editor || environment['VISUAL'] || environment['EDITOR'] || 'vi';
  const edited = await front.lend(() =>
    editText({ ...proposal, editor: chosen, state, ids: createIds(), signal }),
  );
  if (edited.kind === 'written')
    // Editors end a file with a newline; a command has none.
    return request.details.kind === 'exec' ? edited.text.replace(/\n+$/, '') : edited.text;
  const said =
    edited.kind === 'failed'
      ? `${edited.message} Nothing was changed.`
      : 'Nothing was changed in the editor.';
  front.dispatch({ type: 'said', block: { kind: 'said', text: safe(said), tone: 'warning' } });
  return null;
}
