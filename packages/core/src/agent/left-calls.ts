import type { FunctionCall, FunctionResponse, Message } from '@toolwright/machine/base/content.js';
import { isInterrupted } from '../model/interrupted-call.js';
import type { RawCall } from '../model/model.js';
import type { SettledCall } from '../scheduler/call.js';
import { describeCall } from '../scheduler/prepare-call.js';
import type { Scheduler } from '../scheduler/scheduler.js';

/** Calls of the last answer that have not ended. */
export interface LeftCalls {
  calls: RawCall[];
  /** Responses to all calls of that answer; those of the calls that have not ended are placeholders. */
  responses: FunctionResponse[];
}

/** The calls at the end of a conversation that wait for the user; null where none do. */
export function parkedCallsIn(messages: readonly Message[], ids: readonly string[]): LeftCalls | null {
  const left = leftCallsIn(messages, ({ id }) => id !== undefined && ids.includes(id));
  return left?.calls.length === ids.length ? left : null;
}

/** The interrupted calls at the end of a conversation that may be run again; null where there are none. */
export async function repeatableCalls(
  messages: readonly Message[],
  canRepeat: Scheduler['canRepeat'],
): Promise<LeftCalls | null> {
  const left = leftCallsIn(messages, isInterrupted);
  if (!left) return null;
  const calls: RawCall[] = [];
  for (const call of left.calls) if (await canRepeat(call)) calls.push(call);
  return calls.length > 0 ? { ...left, calls } : null;
}

function leftCallsIn(
  messages: readonly Message[],
  isLeft: (response: FunctionResponse) => boolean,
): LeftCalls | null {
  const [asked, answered] = messages.slice(-2);
  if (asked?.role !== 'model' || answered?.role !== 'user') return null;
  const responses = answered.parts.flatMap(({ functionResponse }) => functionResponse ?? []);
  const left = new Set(responses.filter(isLeft).map(({ id }) => id));
  const calls = asked.parts.flatMap(({ functionCall }) =>
    functionCall?.id !== undefined && left.has(functionCall.id) ? [rawCall(functionCall)] : [],
  );
  return calls.length > 0 ? { calls, responses } : null;
}

function rawCall({ id, name, args }: FunctionCall): RawCall {
  return { id: id ?? '', name: name ?? '', arguments: args ?? {} };
}

/** The responses, with those of the settled calls in the place of their placeholders. */
export function withResponses(
  responses: readonly FunctionResponse[],
  settled: readonly SettledCall[],
): FunctionResponse[] {
  const made = new Map(settled.map(({ response }) => [response.id, response]));
  return responses.map((response) => made.get(response.id) ?? response);
}

interface RepeatNeeds {
  scheduler: Pick<Scheduler, 'run'>;
  messages: Message[];
  clean(message: Message): Message;
  record(message: Message): Promise<void>;
}

/** Runs interrupted calls once more; where a hook wants the user asked about one, it stays interrupted. */
export async function repeatCalls(
  { calls, responses }: LeftCalls,
  { scheduler, messages, clean, record }: RepeatNeeds,
  signal: AbortSignal,
): Promise<void> {
  const settled = await scheduler.run(calls, signal, { confirm: async () => ({ kind: 'park' }) });
  if (signal.aborted) return;
  const ended = settled.filter(({ parked }) => !parked);
  const parts = withResponses(responses, ended).map((functionResponse) => ({ functionResponse }));
  const answered = clean({ role: 'user', parts });
  // The journal has the words that followed the interruption already.
  const said = messages.pop()?.parts.filter(({ functionResponse }) => !functionResponse) ?? [];
  messages.push({ role: 'user', parts: [...answered.parts, ...said] });
  await record(answered);
}

/** The latest interrupted calls, in the order they were made. */
export async function describeInterrupted(
  messages: readonly Message[],
  count: number,
  { registry }: Parameters<typeof describeCall>[1],
): Promise<string[]> {
  if (count === 0) return [];
  const parts = messages.flatMap((message) => message.parts);
  const lost = new Set(
    parts.flatMap(({ functionResponse }) =>
      functionResponse && isInterrupted(functionResponse) ? [functionResponse.id] : [],
    ),
  );
  const calls = parts.flatMap(({ functionCall }) =>
    functionCall && lost.has(functionCall.id) ? [functionCall] : [],
  );
  return Promise.all(
    calls
      .slice(-count)
      .map(({ id = '', name = '', args = {} }) => describeCall({ id, name, arguments: args }, { registry })),
  );
}
