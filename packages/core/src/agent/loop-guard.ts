import { canonical } from '@toolwright/machine/base/canonical-json.js';
import type { RawCall } from '../model/model.js';
import type { SettledCall } from '../scheduler/call.js';

export interface LoopGuard {
  /** Looks at a batch that was carried out. A warning goes into the response; "stop" ends the prompt. */
  look(calls: readonly RawCall[], settled: readonly SettledCall[]): 'go on' | 'stop';
}

const WARN_AT = 3;
const STOP_AT = 6;

/** Of one call, so that one whose result is ever another is not compared without end. */
const RESULTS_KEPT = 8;

interface Result {
  response: SettledCall['response']['response'];
  count: number;
}

/**
 * The same call with the same result in the same state of the workspace, again and again, leads nowhere. Results are
 * looked at only when a call comes again: most never do.
 */
export function createLoopGuard(): LoopGuard {
  const seen = new Map<string, Result[]>();
  const counted = (key: string, response: Result['response']): number => {
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
    look(calls, settled) {
      if (settled.some(({ changeSet }) => changeSet !== undefined)) seen.clear();
      let most = 0;
      settled.forEach((call, index) => {
        const key = JSON.stringify(canonical([call.tool, calls[index]?.arguments]));
        const count = counted(key, call.response.response);
        most = Math.max(most, count);
        if (count >= WARN_AT) warn(call, count);
      });
      return most >= STOP_AT ? 'stop' : 'go on';
    },
  };
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(canonical(left)) === JSON.stringify(canonical(right));
}

function warn({ response }: SettledCall, count: number): void {
  const notes = Array.isArray(response.response?.['notes']) ? response.response['notes'] : [];
  const note = `This exact call has now given this exact result ${count} times. Repeating it will not help: try something else, or tell the user what is in the way.`;
  response.response = { ...response.response, notes: [...notes, note] };
}
