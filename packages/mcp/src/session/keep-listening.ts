import type { JsonObject } from '@toolwright/machine/base/json.js';
import type { Clock } from '@toolwright/machine/host/host.js';
import { describeError } from './describe-error.js';
import type { NewerWire } from './newer-wire.js';

export interface Subscription {
  wire: Pick<NewerWire, 'request'>;
  /** The lists whose changes are wanted. */
  notifications: JsonObject;
  clock: Clock;
  signal: AbortSignal;
}

const FIRST_WAIT_MS = 1_000;
const LONG_ENOUGH_MS = 60_000;
const MOST_SHORT_ONES = 5;

/**
 * Asks to be told of changes, which servers of the newer revision don't do unasked, and asks again when the stream
 * breaks off. A server that ends or refuses the subscription means it, and so does one that breaks it off over and over.
 */
export async function keepListening({ wire, notifications, clock, signal }: Subscription): Promise<void> {
  for (let short = 0; short < MOST_SHORT_ONES; ) {
    const since = clock.now();
    try {
      await wire.request('subscriptions/listen', { notifications }, { signal });
      return;
    } catch (error) {
      if (signal.aborted || describeError(error, null).kind === 'answer') return;
    }
    short = clock.now() - since >= LONG_ENOUGH_MS ? 0 : short + 1;
    await clock.sleep(FIRST_WAIT_MS * 2 ** short, signal).catch(() => undefined);
    if (signal.aborted) return;
  }
}
