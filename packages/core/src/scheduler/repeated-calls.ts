import { canonical } from '@toolwright/machine/base/json.js';
import type { RawCall } from '../model/model.js';

/** The calls of one prompt, counted to notice a model that goes round in circles. */
export interface RepeatedCalls {
  /** Counts a call by its result; gives the note for its response when both have been the same too often. */
  noteOn(call: SettledOnce): string | null;
  /** The model did not stop after it was told; the prompt should end. */
  readonly isStuck: boolean;
}

interface SettledOnce {
  tool: string;
  arguments: RawCall['arguments'];
  response: Record<string, unknown> | undefined;
  /** The call changed files, so that calls made before may give another result now. */
  changed: boolean;
}

const NOTE_AT = 3;
const STUCK_AT = 6;

/** Results kept per call; bounds the comparison when results keep changing. */
const RESULTS_KEPT = 8;

interface CountedResult {
  response: SettledOnce['response'];
  count: number;
}

/** Results are compared only when a call comes again: most never do. */
export function createRepeatedCalls(): RepeatedCalls {
  const seen = new Map<string, CountedResult[]>();
  let isStuck = false;
  const count = (key: string, response: SettledOnce['response']): number => {
    const results = seen.get(key) ?? [];
    let result = results.find((earlier) => isSame(earlier.response, response));
    if (!result) {
      result = { response, count: 0 };
      seen.set(key, [...results, result].slice(-RESULTS_KEPT));
    }
    result.count += 1;
    return result.count;
  };
  return {
    noteOn(call) {
      if (call.changed) {
        seen.clear();
        isStuck = false;
      }
      const times = count(JSON.stringify(canonical([call.tool, call.arguments])), call.response);
      isStuck ||= times >= STUCK_AT;
      return times >= NOTE_AT
        ? `This exact call has now given this exact result ${times} times. Repeating it will not help: try something else, or tell the user what is in the way.`
        : null;
    },
    get isStuck() {
      return isStuck;
    },
  };
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(canonical(left)) === JSON.stringify(canonical(right));
}
