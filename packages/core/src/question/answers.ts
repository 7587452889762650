import { foreignSentence } from '@toolwright/machine/base/sentences/foreign-text.js';
import type { ConfirmRequest, Outcome } from '../scheduler/call.js';

/** One answer to choose. The label says exactly what it allows. */
export type Answer =
  | { kind: 'once' | 'no'; label: string }
  /** `offer` counts from 1; each offer can be taken for the session and saved. */
  | { kind: 'always'; label: string; offer: number; rule: string; scope: 'session' | 'saved' }
  /** The user may rewrite the text; `name` is for the editor. What is written is planned and asked about anew. */
  | { kind: 'modify'; label: string; name: string; untrusted: string; isCommand: boolean };

const LONGEST_LABEL = 4_000;

export function answersTo(request: ConfirmRequest, sessionSpan: string): Answer[] {
  const always = request.offers.flatMap(({ rule, allows }, index): Answer[] => {
    const answer = { kind: 'always' as const, offer: index + 1, rule };
    const session = label(`yes, and allow ${allows} ${sessionSpan}: rule ${rule}`);
    const saved = label(`yes, and allow ${allows}, saved for this workspace: rule ${rule}`);
    return [
      { ...answer, scope: 'session', label: session },
      { ...answer, scope: 'saved', label: saved },
    ];
  });
  return [
    { kind: 'once', label: 'yes, this once' },
    ...always,
    ...modifyAnswer(request),
    { kind: 'no', label: 'no; a reason may follow for the model' },
  ];
}

function label(text: string): string {
  return foreignSentence(text, LONGEST_LABEL);
}

function modifyAnswer({ details, modifiable }: ConfirmRequest): Answer[] {
  if (!modifiable) return [];
  if (details.kind === 'edit' && details.modifiable) {
    const { path, content } = details.modifiable;
    const label = 'change the proposed content';
    return [{ kind: 'modify', label, name: path, untrusted: content, isCommand: false }];
  }
  if (details.kind === 'exec' && details.modifiable) {
    const { command } = details.modifiable;
    const label = 'change the command';
    return [{ kind: 'modify', label, name: 'command.sh', untrusted: command, isCommand: true }];
  }
  return [];
}

export interface WrittenAnswer {
  /** For a no. */
  reason?: string;
  /** For a yes to more than this call. */
  limit?: { uses: number } | { forMs: number } | null;
  /** In place of the proposal. */
  written?: string;
}

export function outcomeOf(
  answer: Answer,
  { reason = '', limit = null, written = '' }: WrittenAnswer = {},
): Outcome {
  switch (answer.kind) {
    case 'once':
      return { kind: 'once' };
    case 'always':
      return { kind: 'always', rule: answer.rule, scope: answer.scope, ...limit };
    case 'modify':
      return { kind: 'modify', written };
    case 'no':
      return { kind: 'cancel', reason: reason.trim() || 'no reason was given' };
  }
}
