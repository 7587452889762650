import { digestOf } from '../base/canonical-json.js';
import type { RawCall } from '../model/model.js';
import type { SettledCall } from '../scheduler/call.js';

export interface LoopGuard {
  /** Looks at a batch that was carried out. A warning goes into the response; "stop" ends the prompt. */
  look(calls: readonly RawCall[], settled: readonly SettledCall[]): 'go on' | 'stop';
}

const WARN_AT = 3;
const STOP_AT = 6;

/** The same call with the same result in the same state of the workspace, again and again, leads nowhere. */
export function createLoopGuard(): LoopGuard {
  const seen = new Map<string, number>();
  return {
    look(calls, settled) {
      if (settled.some(({ changeSet }) => changeSet !== undefined)) seen.clear();
      let most = 0;
      settled.forEach((call, index) => {
        const key = digestOf({
          name: call.tool,
          arguments: calls[index]?.arguments,
          response: call.response.response,
        });
        const count = (seen.get(key) ?? 0) + 1;
        seen.set(key, count);
        most = Math.max(most, count);
        if (count >= WARN_AT) warn(call, count);
      });
      return most >= STOP_AT ? 'stop' : 'go on';
    },
  };
}

function warn({ response }: SettledCall, count: number): void {
  const notes = Array.isArray(response.response?.['notes']) ? response.response['notes'] : [];
  const note = `This exact call has now given this exact result ${count} times. Repeating it will not help: try something else, or tell the user what is in the way.`;
  response.response = { ...response.response, notes: [...notes, note] };
}
