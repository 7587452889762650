import type { Clock, Ids, Log } from './host.js';

/** The clock of this machine. */
export function createClock(): Clock {
  return { now: () => Date.now(), sleep };
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

const timeDigits = 9;
const countDigits = 3;
const mostPerMillisecond = 36 ** countDigits;

/**
 * Ids made of milliseconds, a count within the millisecond, and random digits, all in base 36. They sort by time
 * within a process and, to the millisecond, across processes; lower case only, for file systems that fold case.
 */
export function createIds({ now = Date.now, random = Math.random } = {}): Ids {
  let time = 0;
  let count = 0;
  return {
    random,
    next(notBefore = 0) {
      const present = Math.max(now(), Math.ceil(notBefore));
      if (present > time) {
        time = present;
        count = 0;
      } else if (++count === mostPerMillisecond) {
        time += 1;
        count = 0;
      }
      return (
        digits(time, timeDigits) + digits(count, countDigits) + randomDigits(random) + randomDigits(random)
      );
    },
  };
}

/** The time an id was made, in milliseconds; 0 for a text that is no id. Until the year 2149 ids begin with 0 or 1. */
export function timeOfId(id: string): number {
  return /^[01][0-9a-z]{23}$/.test(id) ? Number.parseInt(id.slice(0, timeDigits), 36) : 0;
}

function digits(value: number, length: number): string {
  return value.toString(36).padStart(length, '0');
}

function randomDigits(random: () => number): string {
  return digits(Math.floor(random() * 36 ** 6), 6);
}

/** A log that writes nothing. */
export const silentLog: Log = {
  path: '',
  debug() {},
  error() {},
};
