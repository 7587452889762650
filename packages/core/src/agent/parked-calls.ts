import type { FunctionCall, FunctionResponse, Message } from '@toolwright/machine/base/content.js';
import type { RawCall } from '../model/model.js';

/** Calls that were put off, and those of the same answer that are done. */
export interface ParkedCalls {
  calls: RawCall[];
  /** Responses to all calls of that answer; those of the calls that were put off are placeholders. */
  responses: FunctionResponse[];
}

/** The calls at the end of a conversation that wait for the user; null where none do. */
export function parkedCallsIn(messages: readonly Message[], ids: readonly string[]): ParkedCalls | null {
  const [asked, answered] = messages.slice(-2);
  if (ids.length === 0 || asked?.role !== 'model' || answered?.role !== 'user') return null;
  const calls = asked.parts.flatMap(({ functionCall }) => (functionCall ? [functionCall] : []));
  const waiting = calls.filter(({ id }) => id !== undefined && ids.includes(id));
  if (waiting.length !== ids.length) return null;
  const responses = answered.parts.flatMap(({ functionResponse }): FunctionResponse[] =>
    functionResponse ? [functionResponse] : [],
  );
  return { calls: waiting.map(rawCall), responses };
}

function rawCall({ id, name, args }: FunctionCall): ParkedCalls['calls'][number] {
  return { id: id ?? '', name: name ?? '', arguments: args ?? {} };
}
