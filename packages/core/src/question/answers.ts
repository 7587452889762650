import { foreignSentence } from '@toolwright/machine/base/sentences/foreign-text.js';
import type { ConfirmRequest, Outcome } from '../scheduler/call.js';

/** An answer to choose. The label says exactly what it allows. */
export type Answer =
  | { kind: 'once' | 'no'; label: string }
  /** Yes to this call and to those that wait behind it. `titles` names all of them. */
  | { kind: 'all'; label: string; titles: string[]; calls: string[] }
  /** A no that also becomes a deny rule for the session. */
  | { kind: 'never'; label: string; rule: string }
  /** `offer` counts from 1; each offer can be taken for the session and saved. */
  | {
      kind: 'always';
      label: string;
      offer: number;
      /** The calls that it allows, in words: `changes to a.ts`. */
      allows: string;
      rule: string;
      scope: 'session' | 'saved';
    }
  /** The user may rewrite the text; `name` is for the editor. What is written is planned and asked about anew. */
  | { kind: 'modify'; label: string; name: string; untrusted: string; isCommand: boolean };

const LONGEST_LABEL = 4_000;

export interface AnswerOptions {
  /** The span of a yes for the session, in words. */
  sessionSpan: string;
  /** Names this call and those that wait behind it. */
  titles?: string[];
  /** The front end can offer a lasting no. */
  canRefuseForGood?: boolean | undefined;
}

export function answersTo(
  request: ConfirmRequest,
  { sessionSpan, titles = [], canRefuseForGood = false }: AnswerOptions,
): Answer[] {
  const always = request.offers.flatMap(({ rule, allows }, index): Answer[] => {
    const answer = { kind: 'always' as const, offer: index + 1, allows: label(allows), rule };
    const session = label(`yes, and allow ${allows} ${sessionSpan}: rule ${rule}`);
    const saved = label(`yes, and allow ${allows}, saved for this workspace: rule ${rule}`);
    return [
      { ...answer, scope: 'session', label: session },
      { ...answer, scope: 'saved', label: saved },
    ];
  });
  return [
    { kind: 'once', label: 'yes, this once' },
    ...allAnswer(request, titles),
    ...always,
    ...modifyAnswer(request),
    { kind: 'no', label: 'no (you can give the model a reason)' },
    ...(canRefuseForGood ? neverAnswer(request, sessionSpan) : []),
  ];
}

/** Offered where nothing among the calls deserves a second look of its own. */
function allAnswer(request: ConfirmRequest, titles: string[]): Answer[] {
  const others = request.queue?.others ?? [];
  if (others.length === 0 || ![request, ...others].every(isRoutine)) return [];
  const calls = others.map(({ callId }) => callId);
  return [{ kind: 'all', label: label(`yes to these ${calls.length + 1}`), titles, calls }];
}

/**
 * True if a lasting yes may be offered: not for a call that deletes, is protected or secret (no rule could ever allow it), carries a
 * warning, or was caught.
 */
function isRoutine({ details, offers, falseClaim }: ConfirmRequest): boolean {
  const files = 'diff' in details ? (details.diff?.files ?? []) : [];
  const deletes =
    files.some(({ change }) => change === 'delete') || details.effects.some(({ kind }) => kind === 'delete');
  const hasWarnings = 'warnings' in details && (details.warnings ?? []).length > 0;
  return offers.length > 0 && !deletes && !hasWarnings && !falseClaim;
}

function neverAnswer({ never }: ConfirmRequest, sessionSpan: string): Answer[] {
  if (!never) return [];
  const { rule, allows } = never;
  return [{ kind: 'never', rule, label: label(`no, and deny ${allows} ${sessionSpan}: rule ${rule}`) }];
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
  /** The text in place of the proposal. */
  written?: string;
}

/** The outcome of a call's question that an answer stands for. */
export function outcomeOf(
  answer: Answer,
  { reason = '', limit = null, written = '' }: WrittenAnswer = {},
): Outcome {
  switch (answer.kind) {
    case 'once':
      return { kind: 'once' };
    case 'all':
      return { kind: 'once', also: answer.calls };
    case 'always':
      return { kind: 'always', rule: answer.rule, scope: answer.scope, ...limit };
    case 'modify':
      return { kind: 'modify', written };
    case 'no':
      return { kind: 'cancel', reason: reason.trim() || 'no reason was given' };
    case 'never':
      return { kind: 'cancel', reason: 'the user does not want it in this session', rule: answer.rule };
  }
}
