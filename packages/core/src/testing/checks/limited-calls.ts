import { withinDeadline } from '@toolwright/machine/host/deadline.js';
import { createClock } from '@toolwright/machine/host/node-host.js';

/** Limits of a check, in milliseconds. */
export interface CheckLimits {
  /** A call that takes longer hangs. */
  callMs: number;
  /** A call that goes on for longer after it was cancelled ignores its signal. */
  cancelMs: number;
  wholeMs: number;
  /** Ends the check early. */
  signal?: AbortSignal;
}

const LIMITS: CheckLimits = { callMs: 30_000, cancelMs: 2_000, wholeMs: 180_000 };

export type Attempt<Result> = { result: Result; ms: number } | { error: unknown } | 'hung';

/** Makes calls that may hang. One that does is left behind, and no other should follow it. */
export interface LimitedCalls {
  readonly limits: CheckLimits;
  /** True once a call hung, or the time of the check is over. */
  isOver(): boolean;
  attempt<Result>(work: () => Result | Promise<Result>, ms?: number): Promise<Attempt<Result>>;
}

export function limitedCalls(limits: Partial<CheckLimits> = {}): LimitedCalls {
  const clock = createClock();
  const all = { ...LIMITS, ...limits };
  const endsAt = clock.now() + all.wholeMs;
  let hasHung = false;
  return {
    limits: all,
    isOver: () => hasHung || all.signal?.aborted === true || clock.now() >= endsAt,
    async attempt(work, ms = all.callMs) {
      const startedAt = clock.now();
      const outcome = (async () => work())().then(
        (result) => ({ result, ms: clock.now() - startedAt }),
        (error: unknown) => ({ error }),
      );
      const deadline = { ms: Math.min(ms, endsAt - startedAt), clock, signal: all.signal };
      const ended = await withinDeadline(outcome, deadline);
      if (ended === null && ms === all.callMs) hasHung = true;
      return ended ?? 'hung';
    },
  };
}
