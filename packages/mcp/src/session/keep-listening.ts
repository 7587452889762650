import type { JsonObject } from '@toolwright/machine/base/json.js';
import type { Clock } from '@toolwright/machine/host/host.js';
import { describeError } from './describe-error.js';
import type { NewerWire } from './newer-wire.js';

export interface ListenerOptions {
  wire: Pick<NewerWire, 'request'>;
  clock: Clock;
  /** Ends with the session. */
  signal: AbortSignal;
}

/** Asks to be told of these changes, in place of those before; of nothing when there are none. */
export type Listen = (notifications: JsonObject) => void;

/** Changes are told over one request that stays open: to hear of others it is asked anew, and the one before is ended. */
export function createListener({ wire, clock, signal }: ListenerOptions): Listen {
  let current: AbortController | null = null;
  signal.addEventListener('abort', () => current?.abort(signal.reason), { once: true });
  return (notifications) => {
    const before = current;
    current = null;
    if (Object.keys(notifications).length > 0 && !signal.aborted) {
      current = new AbortController();
      void keepListening({ wire, notifications, clock, signal: current.signal });
    }
    before?.abort('other changes are wanted');
  };
}

interface Subscription extends ListenerOptions {
  /** The changes that are wanted. */
  notifications: JsonObject;
}

const FIRST_WAIT_MS = 1_000;
const LONG_ENOUGH_MS = 60_000;
const MOST_SHORT_ONES = 5;

/**
 * Asks to be told of changes, which servers of the newer revision don't do unasked, and asks again when the stream
 * breaks off. A server that ends or refuses the subscription means it, and so does one that breaks it off over and over.
 */
async function keepListening({ wire, notifications, clock, signal }: Subscription): Promise<void> {
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
