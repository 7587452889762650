import type { EndReason } from '@toolwright/core';

/** Exit codes for scripts. Where several apply: cancelled, failure, limit, parked, refused. */
export const exitCodes = {
  done: 0,
  failure: 1,
  usage: 2,
  auth: 41,
  settings: 52,
  /** A limit was reached: of turns, calls, tokens, time or money. */
  limit: 53,
  nobodyToAsk: 54,
  parked: 55,
  cancelled: 130,
} as const;

/** The end of one prompt, as far as a script must know it. */
export interface PromptEnd {
  reason: EndReason;
  error?: { kind: string } | null;
  /** Calls that were refused only because nobody could be asked. */
  unasked: number;
}

/** Exit code of a prompt; if several apply, in this order: cancelled, failure, limit, parked, refused. */
export function exitCodeOf({ reason, error, unasked }: PromptEnd): number {
  if (reason === 'cancelled') return exitCodes.cancelled;
  if (reason === 'failed') return exitCodeOfError(error);
  if (reason.endsWith('-limit')) return exitCodes.limit;
  if (reason === 'parked') return exitCodes.parked;
  return unasked > 0 ? exitCodes.nobodyToAsk : exitCodes.done;
}

const byWeight: readonly number[] = [
  exitCodes.cancelled,
  exitCodes.failure,
  exitCodes.limit,
  exitCodes.parked,
  exitCodes.nobodyToAsk,
];

/** Exit code of several steps, in the same order. */
export function exitCodeOfAll(codes: readonly number[]): number {
  return byWeight.find((code) => codes.includes(code)) ?? Math.max(exitCodes.done, ...codes);
}

export function exitCodeOfError(error: { kind: string } | null | undefined): number {
  if (error?.kind === 'auth') return exitCodes.auth;
  return error?.kind === 'settings' ? exitCodes.settings : exitCodes.failure;
}

/** A mistake in how the program was called. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
