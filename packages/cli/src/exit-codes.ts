/** What a script can rely on. Where several apply: cancelled, failure, turn limit, refused. */
export const exitCodes = {
  done: 0,
  failure: 1,
  usage: 2,
  auth: 41,
  settings: 52,
  turnLimit: 53,
  nobodyToAsk: 54,
  cancelled: 130,
} as const;

/** A mistake in how the program was called. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
