import type { Ids } from '../host.js';
import { MARK_DIGITS, type Mark } from '../platform/processes/process-table.js';

/** One of our processes, and each of its runs: all that is needed to know theirs for theirs. */
export interface Marks {
  /** Carried by everything that was started here. */
  owner: Mark;
  /** Carried by everything that one run has started, with a name that is unique among all of them. */
  next(): { name: string; mark: Mark };
}

const OWNER_DIGITS = 9;
const RUN_DIGITS = MARK_DIGITS - OWNER_DIGITS;

export function createMarks(ids: Ids): Marks {
  const name = ids.next();
  const least = 10 ** (OWNER_DIGITS - 1);
  const digits = String(least + Math.floor(ids.random() * 9 * least));
  let count = 0;
  return {
    owner: { text: `${name}.`, digits },
    next() {
      count++;
      const run = String(count % 10 ** RUN_DIGITS).padStart(RUN_DIGITS, '0');
      // The comma ends it: run 1 is not run 12.
      return { name: `${name}.${count}`, mark: { text: `${name}.${count},`, digits: digits + run } };
    },
  };
}
