import type { RawCall } from '../model/model.js';
import { errorResult, type InnerCall, type InnerResult, type MakeInnerCalls } from '../tools/tools.js';
import type { CallNeeds, SchedulerOptions, SettledCall } from './call.js';

/** Calls that a call makes are a batch of its own, asked about and shown where the call itself is. */
interface InnerBatch {
  /** The call that makes them. */
  parent: string;
  repeatedCalls: undefined;
  emit: NonNullable<SchedulerOptions['emit']>;
}

type RunInnerBatch = (calls: RawCall[], signal: AbortSignal, batch: InnerBatch) => Promise<SettledCall[]>;

interface InnerCalls {
  callsOf: CallNeeds['innerCallsOf'];
  stoppedWithin: CallNeeds['stoppedWithin'];
}

/** Calls made by those of one batch. */
export function createInnerCalls({ ids }: Pick<SchedulerOptions, 'ids'>, run: RunInnerBatch): InnerCalls {
  const stops = new Map<string, string>();
  const callsOf =
    (parent: string): MakeInnerCalls =>
    async (calls, { signal, started }) => {
      const ended = stops.get(parent);
      if (ended !== undefined) return calls.map((call) => refusedCall(call, ended));
      const raw = calls.map(({ tool, params }) => ({ id: ids.next(), name: tool, arguments: params }));
      const descriptions = new Map<string, string>();
      const settled = await run(raw, signal, {
        parent,
        repeatedCalls: undefined,
        emit(event) {
          if (event.type !== 'call-start') return;
          descriptions.set(event.callId, event.description);
          started?.(event.description);
        },
      });
      const stopped = settled.find((each) => each.stopped !== undefined)?.stopped;
      if (stopped !== undefined) stops.set(parent, stopped);
      return settled.map((each) => ({ ...each, description: descriptions.get(each.callId) ?? each.tool }));
    };
  return { callsOf, stoppedWithin: (callId) => stops.get(callId) };
}

/** After a hook has ended the run a script gets nothing more done. */
function refusedCall({ tool }: InnerCall, why: string): InnerResult {
  const { llmContent, error } = errorResult('denied', why);
  return { tool, description: tool, llmContent, error };
}
