import { setTimeout as sleep } from 'node:timers/promises';

const AGAIN_MS = 250;

/**
 * Asks again until the limit when the servers can't answer for a while, in an election or without a network. Repeating a change whose
 * answer was lost is no danger: it names a revision that is gone.
 */
export async function askAgain<Result>(limitMs: number, work: () => Promise<Result>): Promise<Result> {
  const until = performance.now() + limitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!passes(error) || performance.now() > until) throw error;
      await sleep(AGAIN_MS);
    }
  }
}

const passing = [
  'TimeoutError',
  'NoRespondersError',
  'RequestError',
  'JetStreamNotEnabled',
  'JetStreamStatusError',
];

function passes(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (passing.includes(error.name) || passes(error.cause)) return true;
  return 'status' in error && error.status === 503;
}
