import type { ConfirmRequest, Outcome } from './call.js';

/** Answers for a program without a user: every question is a refusal, and the run says so at its end. */
export async function nobodyToAsk({ reason }: ConfirmRequest): Promise<Outcome> {
  return { kind: 'cancel', reason, nobodyToAsk: true };
}
