import { setTimeout as sleep } from 'node:timers/promises';

const AGAIN_MS = 250;

/**
 * Asks again until the limit when the servers can't answer for a while, in an election or without a network. Repeating a change whose
 * answer was lost is no danger: it names a revision that is gone.
 */
export async function patiently<Result>(limitMs: number, work: () => Promise<Result>): Promise<Result> {
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

/** For what the library would wait for without an end. */
export async function within<Result>(limitMs: number, work: Promise<Result>): Promise<Result> {
  const over = new AbortController();
  const late = sleep(limitMs, undefined, { signal: over.signal }).then(() => {
    throw new TimeoutError(`no answer for ${limitMs} ms`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
    late.catch(() => undefined);
  }
}

class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}
