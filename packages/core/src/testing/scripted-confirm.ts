import type { ConfirmRequest, Outcome } from '../scheduler/call.js';

/** Answers questions by a script, and remembers them. */
export interface ScriptedConfirm {
  /** Every question that was asked, in order. */
  asked: ConfirmRequest[];
  confirm(request: ConfirmRequest, signal: AbortSignal): Promise<Outcome>;
}

/** A user who gives these answers one after the other, and refuses when they run out. */
export function scriptedConfirm(
  ...answers: (Outcome | ((request: ConfirmRequest) => Outcome))[]
): ScriptedConfirm {
  const asked: ConfirmRequest[] = [];
  const left = [...answers];
  return {
    asked,
    async confirm(request) {
      asked.push(request);
      const answer = left.shift() ?? {
        kind: 'cancel' as const,
        reason: 'no answer was scripted for this question',
      };
      return typeof answer === 'function' ? answer(request) : answer;
    },
  };
}
