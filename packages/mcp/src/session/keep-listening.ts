import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import type { Clock } from '@toolwright/machine/host/host.js';
import { describeError } from './describe-error.js';
import type { NewerWire } from './newer-wire.js';

export interface ListenerOptions {
  wire: Pick<NewerWire, 'request'>;
  clock: Clock;
  /** Ends with the session. */
  signal: AbortSignal;
}

/**
 * Asks to be told of these changes, in place of those before; of nothing when there are none. Resolves with those that
 * the server says it tells. Where it refuses, or says nothing while `until` lasts, those before are told as ever.
 */
export type Listen = (notifications: JsonObject, until: AbortSignal) => Promise<JsonObject>;

/** Changes are told over one request that stays open: to hear of others it is asked anew, and then the one before is ended. */
export function createListener(options: ListenerOptions): Listen {
  let current: AbortController | null = null;
  let turn: Promise<unknown> = Promise.resolve();
  const change: Listen = async (notifications, until) => {
    until.throwIfAborted();
    const before = current;
    current = null;
    if (Object.keys(notifications).length > 0 && !options.signal.aborted) {
      const asked = new AbortController();
      const signal = AbortSignal.any([options.signal, asked.signal]);
      current = asked;
      try {
        notifications = await begin({ ...options, notifications, signal }, until);
      } catch (error) {
        current = before;
        asked.abort('it is not wanted any more');
        throw error;
      }
    }
    before?.abort('other changes are wanted');
    return notifications;
  };
  return (notifications, until) => {
    const changed = turn.then(() => change(notifications, until));
    turn = changed.catch(() => undefined);
    return changed;
  };
}

interface Subscription extends ListenerOptions {
  /** The changes that are wanted. */
  notifications: JsonObject;
}

/** Resolves when the server has acknowledged the subscription, which goes on. */
function begin(subscription: Subscription, until: AbortSignal): Promise<JsonObject> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(until.reason);
    until.addEventListener('abort', giveUp, { once: true });
    const onAcknowledged = (granted: JsonObject): void => {
      until.removeEventListener('abort', giveUp);
      resolve(granted);
    };
    keepListening(subscription, onAcknowledged).then(reject, reject);
  });
}

const FIRST_WAIT_MS = 1_000;
const LONG_ENOUGH_MS = 60_000;
const MOST_SHORT_ONES = 5;

/**
 * Asks to be told of changes, which servers of the newer revision don't do unasked, and asks again when the stream
 * breaks off. A server that ends or refuses the subscription means it, and so does one that breaks it off over and over.
 * Resolves with the reason why nothing is told any more.
 */
async function keepListening(
  { wire, notifications, clock, signal }: Subscription,
  onAcknowledged: (granted: JsonObject) => void,
): Promise<unknown> {
  const acknowledged = ({ notifications: granted }: JsonObject): void =>
    onAcknowledged(isJsonObject(granted) ? granted : {});
  for (let short = 0; short < MOST_SHORT_ONES; ) {
    const since = clock.now();
    try {
      await wire.request('subscriptions/listen', { notifications }, { signal, onAcknowledged: acknowledged });
      return new Error('it ended the subscription');
    } catch (error) {
      if (signal.aborted || describeError(error, null).kind === 'answer') return error;
    }
    short = clock.now() - since >= LONG_ENOUGH_MS ? 0 : short + 1;
    await clock.sleep(FIRST_WAIT_MS * 2 ** short, signal).catch(() => undefined);
    if (signal.aborted) return signal.reason;
  }
  return new Error('it broke the subscription off over and over');
}
